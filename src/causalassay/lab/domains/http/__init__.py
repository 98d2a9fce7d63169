"""The experiment on HTTP: local web servers, seeded pages, one request at a time."""
