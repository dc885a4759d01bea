"""`holdfast lsp`: a language server on standard input and output. It only translates."""
