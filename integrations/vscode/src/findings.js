// Findings in the editor: diagnostics, hovers and code actions.
"use strict";

const vscode = require("vscode");
const { fileOf, placed, label, notes } = require("./report");

const SOURCE = "warprace";

class Findings {
    constructor() {
        this.collection = vscode.languages.createDiagnosticCollection(SOURCE);
        /** @type {Map<string, import("./report").Report[]>} by the report's file */
        this.reports = new Map();
        /** @type {Map<string, { diagnostic: vscode.Diagnostic, finding: import("./report").Finding }[]>} by source file */
        this.shown = new Map();
    }

    /** Shows what a report has in place of what it had before. */
    show(file, reports) {
        this.reports.delete(file);
        this.reports.set(file, reports);
        this.refresh();
    }

    clear() {
        this.reports.clear();
        this.refresh();
    }

    /** The report that was shown last. */
    last() {
        return [...this.reports.values()].flat().pop();
    }

    refresh() {
        this.shown.clear();
        const known = new Set();
        // The newest report of two says what is so.
        for (const report of [...this.reports.values()].flat().reverse()) {
            for (const finding of report.findings) {
                const key = `${finding.described.id}:${report.name}`;
                if (known.has(key)) continue;
                known.add(key);
                this.add(finding);
            }
        }
        this.collection.clear();
        for (const [file, all] of this.shown)
            this.collection.set(vscode.Uri.file(file), all.map(({ diagnostic }) => diagnostic));
    }

    add(finding) {
        const sides = placed(finding);
        const { described, report } = finding;
        const at = (side) => new vscode.Location(vscode.Uri.file(fileOf(side.access, report.folder)), range(side.access));
        sides.forEach((side, n) => {
            const main = n === 0;
            const other = sides.filter((each) => each !== side);
            const title = main ? described.title : `${label(side)}: ${described.title}`;
            const diagnostic = new vscode.Diagnostic(range(side.access), title, severity(finding, main));
            diagnostic.source = SOURCE;
            diagnostic.code = /^https?:/.test(described.page || "")
                ? { value: described.class, target: vscode.Uri.parse(described.page) }
                : described.class;
            const related = main ? [side, ...other] : other;
            diagnostic.relatedInformation = related.map((each) =>
                new vscode.DiagnosticRelatedInformation(at(each), label(each)));
            const file = fileOf(side.access, report.folder);
            if (!this.shown.has(file)) this.shown.set(file, []);
            this.shown.get(file).push({ diagnostic, finding });
        });
    }

    /** The findings with a side in a range of a file. */
    within(uri, range) {
        const all = this.shown.get(uri.fsPath) || [];
        const found = all.filter(({ diagnostic }) => diagnostic.range.intersection(range)).map(({ finding }) => finding);
        return [...new Set(found)];
    }

    /** The finding at the cursor, or the one that the user picks. */
    async choose() {
        const editor = vscode.window.activeTextEditor;
        const line = editor && new vscode.Range(editor.selection.active.line, 0, editor.selection.active.line, 10000);
        const here = editor ? this.within(editor.document.uri, line) : [];
        const all = here.length ? here : [...new Set([...this.shown.values()].flat().map(({ finding }) => finding))];
        if (all.length === 0) {
            vscode.window.showInformationMessage("warprace: there are no findings; run a program, or open a report");
            return undefined;
        }
        if (all.length === 1) return all[0];
        const items = all.map((finding) => ({
            label: finding.described.title,
            description: finding.described.class,
            detail: placed(finding).map(({ access }) => `${access.file}:${access.line}`).join(", "),
            finding,
        }));
        const picked = await vscode.window.showQuickPick(items, { placeHolder: "A finding" });
        return picked && picked.finding;
    }

    provideHover(document, position) {
        const found = this.within(document.uri, new vscode.Range(position, position));
        if (found.length === 0) return undefined;
        const texts = found.map((finding) => {
            const text = new vscode.MarkdownString();
            text.appendMarkdown(`**${finding.level}** \`${finding.described.class}\`\n\n`);
            for (const [name, note] of notes(finding)) {
                text.appendMarkdown(`*${name}*: `);
                text.appendText(note);
                text.appendMarkdown("\n\n");
            }
            return text;
        });
        return new vscode.Hover(texts);
    }

    provideCodeActions(document, range) {
        return this.within(document.uri, range).flatMap((finding) => {
            const all = this.shown.get(document.uri.fsPath) || [];
            const diagnostics = all.filter((each) => each.finding === finding).map(({ diagnostic }) => diagnostic);
            return [
                ["Find a fix", "warprace.fix", vscode.CodeActionKind.QuickFix],
                ["Explain step by step", "warprace.explain", vscode.CodeActionKind.QuickFix],
                ["Replay", "warprace.replay", vscode.CodeActionKind.QuickFix],
                ["Show the timeline", "warprace.timeline", vscode.CodeActionKind.QuickFix],
            ].map(([title, command, kind]) => {
                const action = new vscode.CodeAction(`warprace: ${title} (${finding.described.class})`, kind);
                action.command = { title, command, arguments: [finding] };
                action.diagnostics = diagnostics;
                return action;
            });
        });
    }
}

function range(access) {
    const line = access.line - 1;
    return new vscode.Range(line, Math.max(access.column - 1, 0), line, 10000);
}

function severity(finding, main) {
    if (!main) return vscode.DiagnosticSeverity.Information;
    return finding.level === "race" ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
}

module.exports = { Findings, SOURCE };
