// The language server of Holdfast in VS Code: start it, and let it speak.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["markdown", "mdx", "html", "restructuredtext", "asciidoc", "plaintext"];
let client;

exports.activate = function () {
  const [command, ...args] = workspace.getConfiguration("holdfast").get("command");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    "holdfast",
    "Holdfast",
    { command, args, options: { cwd: folder } },
    {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*") },
    },
  );
  return client.start();
};

exports.deactivate = function () {
  return client?.stop();
};
