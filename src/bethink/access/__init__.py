"""Who may do what: callers with their scopes and spaces, and the desk at which every door over a
network asks. Doors translate; what is allowed is decided here, once."""
