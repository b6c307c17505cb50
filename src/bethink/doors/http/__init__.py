"""REST, live events and the page: an HTTP server in front of the desk. It translates, and decides
nothing."""
