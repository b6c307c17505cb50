"""Documents: what stands in files of many formats, as sections with headings and places."""
