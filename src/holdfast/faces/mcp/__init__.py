"""`holdfast mcp`: the questions, for agents (WEB-2).

actions   what an agent may do where that was agreed to at the start
answers   what a tool says: plain values in which everything that can be cited carries URL, version and date
server    the tools and resources, over standard input and output, or mounted in `holdfast serve`
stdio     a connection that ends when everything that was asked has its answer
"""
