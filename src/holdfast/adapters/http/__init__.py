"""The web, by aiohttp."""
