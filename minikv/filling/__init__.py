"""A JSON template to a filled one, for one document or any number of them."""
