// Changes that `warprace fix` offers: shown as differences, and made on request.
"use strict";

const fs = require("fs/promises");
const path = require("path");
const vscode = require("vscode");
const tool = require("./tool");

/**
 * Asks for a change that removes a finding.
 * @returns {Promise<{ change: string, diff: string, files: { path: string, text: string }[] } | undefined>}
 */
async function offer(finding, options, folder, heard) {
    const { report, number } = finding;
    const file = path.join(folder, "fix.json");
    await fs.mkdir(folder, { recursive: true });
    await fs.rm(file, { force: true });
    const args = ["fix", "--finding", String(number), "--json", file, "--project", report.folder];
    if (options.length) args.push("--run", options.map(quoted).join(" "));
    const { stderr, stdout, cancelled } =
        await tool.run("warprace: looking for a fix", [...args, "--", ...report.command], report.folder, heard);
    if (cancelled) return undefined;
    const text = await fs.readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) throw new Error(tool.lastLines(stderr || stdout));
    return JSON.parse(text).offers[0];
}

/** A word as a shell reads it. */
function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** Documents with the text that a file would have. */
class Changed {
    constructor() {
        this.texts = new Map();
        this.changed = new vscode.EventEmitter();
        this.onDidChange = this.changed.event;
    }

    provideTextDocumentContent(uri) {
        return this.texts.get(uri.toString()) || "";
    }

    set(uri, text) {
        this.texts.set(uri.toString(), text);
        this.changed.fire(uri);
    }
}

/** Shows a change beside what is there. */
async function show(offer, folder, changed) {
    for (const { path: name, text } of offer.files) {
        const file = path.resolve(folder, name);
        const proposed = vscode.Uri.file(file).with({ scheme: "warprace" });
        changed.set(proposed, text);
        const title = `${path.basename(file)}: ${offer.change || "warprace fix"}`;
        await vscode.commands.executeCommand("vscode.diff", vscode.Uri.file(file), proposed, title, { preview: false });
    }
}

/** Makes a change in the editor's documents, so that it can be undone, and saves them. */
async function apply(offer, folder) {
    const edit = new vscode.WorkspaceEdit();
    const documents = [];
    for (const { path: name, text } of offer.files) {
        const document = await vscode.workspace.openTextDocument(path.resolve(folder, name));
        const end = document.lineAt(document.lineCount - 1).range.end;
        edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
        documents.push(document);
    }
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error("the sources could not be changed");
    for (const document of documents) await document.save();
}

module.exports = { offer, show, apply, Changed, quoted };
