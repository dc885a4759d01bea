"""An export as an SQLite file that people and Datasette read: text ids, dates as text, views."""
