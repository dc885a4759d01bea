"""`holdfast serve`: what is kept, to be looked at in a browser (WEB-1, SEC-5).

guard       who may ask: loopback, Host, Origin, the token; the headers of every answer
asking      one request: its parameters, its reader, its answer as HTML or as JSON
app         the addresses
home, pages, runs, links, searching, api     the views: questions in, values and a template's name out
shown       how values look: times, sizes, addresses, small charts
"""
