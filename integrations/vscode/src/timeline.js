// The HTML report in a panel: code, timeline, memory and threads of each finding.
"use strict";

const fs = require("fs/promises");
const path = require("path");
const vscode = require("vscode");
const tool = require("./tool");

class Timeline {
    /** @param {string} folder for pages that are made of saved reports */
    constructor(folder) {
        this.folder = folder;
        this.panel = undefined;
        /** What the page has said about itself. */
        this.seen = undefined;
    }

    /** Shows a report, at one of its findings if one is given. */
    async show(report, finding) {
        const file = report.page || (await this.made(report));
        const page = await fs.readFile(file, "utf8");
        if (!this.panel) {
            const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
            this.panel = vscode.window.createWebviewPanel("warprace.timeline", "warprace", vscode.ViewColumn.Beside, options);
            this.panel.onDidDispose(() => { this.panel = undefined; });
            this.panel.webview.onDidReceiveMessage((message) => { this.seen = message; });
        }
        this.seen = undefined;
        this.panel.title = `warprace: ${path.basename(report.command[0] || report.name || report.file)}`;
        this.panel.webview.html = prepared(page, finding && finding.described.id);
        this.panel.reveal(undefined, true);
    }

    /** Makes the page of a saved report. */
    async made(report) {
        const file = path.join(this.folder, "saved.html");
        await fs.mkdir(this.folder, { recursive: true });
        const args = ["report", report.file, "--html", file, "--project", report.folder];
        const { code, stderr } = await tool.run("warprace: making the page", args, report.folder, () => {});
        if (code !== 0) throw new Error(tool.lastLines(stderr));
        return file;
    }
}

/** The page with a finding chosen, and with a script that says when it is there. */
function prepared(page, id) {
    const chosen = id ? `history.replaceState(null, "", "#" + ${JSON.stringify(id)});` : "";
    const first = `<script>try { ${chosen} } catch { /* the page begins with its first finding then */ }</script>`;
    const last = `<script>(() => {
        const api = acquireVsCodeApi();
        const tell = () => api.postMessage({ title: document.title, detail: (document.getElementById("detail") || {}).textContent || "" });
        tell();
        new MutationObserver(tell).observe(document.body, { childList: true, subtree: true });
    })();</script>`;
    return page.replace("<head>", () => `<head>${first}`).replace("</body>", () => `${last}</body>`);
}

module.exports = { Timeline, prepared };
