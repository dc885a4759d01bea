"""What is reached outside: the web, folders, programs, mail; the protocols that jobs name, and fakes of
them.
"""
