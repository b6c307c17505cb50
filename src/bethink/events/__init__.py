"""What happens in a memory, for whoever watches: kept with increasing ids, replayed, followed."""
