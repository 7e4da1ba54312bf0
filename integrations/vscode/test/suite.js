// Uses the extension in a real editor as a person does. The editor calls `run`; the answers go to the file that
// WARPRACE_EDITOR_RESULT names. The workspace has reverse.cu, which has a race, and the program that nvcc made of it.
"use strict";

const assert = require("assert");
const fs = require("fs/promises");
const path = require("path");
const vscode = require("vscode");

const folder = () => vscode.workspace.workspaceFolders[0].uri.fsPath;
const source = () => vscode.Uri.file(path.join(folder(), "reverse.cu"));

async function until(what, holds) {
    for (let turn = 0; turn < 600; turn++) {
        const value = await holds();
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`not seen: ${what}`);
}

/** Waits for the process of the next task. */
function endOfTask() {
    return new Promise((resolve) => {
        const listener = vscode.tasks.onDidEndTaskProcess((event) => { listener.dispose(); resolve(event); });
    });
}

const own = (uri) => vscode.languages.getDiagnostics(uri).filter((each) => each.source === "warprace");

const steps = {
    async "the extension starts with the folder"(state) {
        const extension = vscode.extensions.getExtension("warprace.warprace");
        state.extension = await extension.activate();
    },

    async "a report is followed that a setting names"() {
        const text = await fs.readFile(path.join(folder(), "saved.json"), "utf8");
        assert.strictEqual(own(source()).length, 0);
        await fs.writeFile(path.join(folder(), "followed.json"), text);
        await until("findings of the report", () => own(source()).length > 0);
        await vscode.commands.executeCommand("warprace.clear");
        await until("no findings", () => own(source()).length === 0);
    },

    async "a run shows both sides of the race"(state) {
        const ran = await vscode.commands.executeCommand("warprace.run", { command: ["./reverse"] });
        assert.strictEqual(ran.code, 66);
        assert.strictEqual(ran.verdict, "race");
        const lines = (await fs.readFile(source().fsPath, "utf8")).split("\n");
        const marked = lines.flatMap((line, n) => (line.includes("// side") ? [n] : []));
        const shown = own(source());
        assert.deepStrictEqual(shown.map((each) => each.range.start.line).sort((a, b) => a - b), marked);
        const main = shown.find((each) => each.severity === vscode.DiagnosticSeverity.Error);
        assert.strictEqual(main.code.value || main.code, "missing-barrier");
        assert.deepStrictEqual(main.relatedInformation.map((each) => each.location.range.start.line).sort((a, b) => a - b), marked);
        assert.match(main.relatedInformation[1].message, /^\(2\) read of 4 bytes by thread/);
        state.at = main.range.start;
    },

    async "a hover says why"(state) {
        const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", source(), state.at);
        const text = hovers.flatMap((hover) => hover.contents.map((content) => content.value || content)).join("\n");
        assert.match(text, /missing-barrier/);
        assert.match(text, /\*why\*/);
    },

    async "actions are offered at both sides"(state) {
        await vscode.window.showTextDocument(source());
        for (const diagnostic of own(source())) {
            const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", source(), diagnostic.range);
            const commands = actions.map((action) => action.command && action.command.command).filter(Boolean);
            for (const name of ["fix", "explain", "replay", "timeline"]) assert(commands.includes(`warprace.${name}`), name);
            state.actions = Object.fromEntries(actions.filter((action) => action.command).map((action) => [action.command.command, action.command]));
        }
    },

    async "replay runs the finding again"(state) {
        const ended = endOfTask();
        const action = state.actions["warprace.replay"];
        await vscode.commands.executeCommand(action.command, ...action.arguments);
        assert.strictEqual((await ended).exitCode, 66);
    },

    async "a task of tasks.json runs, and its findings become problems"(state) {
        const ended = endOfTask();
        await vscode.commands.executeCommand("workbench.action.tasks.runTask", "reverse under warprace");
        assert.strictEqual((await ended).exitCode, 66);
        const problem = await until("a problem of the task", () =>
            vscode.languages.getDiagnostics(source()).find((each) => each.source === "warprace task"));
        assert.strictEqual(problem.code, "missing-barrier");
        assert.strictEqual(problem.range.start.line, state.at.line);
    },

    async "explain shows the steps"(state) {
        const action = state.actions["warprace.explain"];
        const editor = await vscode.commands.executeCommand(action.command, ...action.arguments);
        assert.match(editor.document.getText(), /reverse\.cu/);
        assert.match(editor.document.getText(), /missing-barrier/);
    },

    async "the timeline's page works in a panel, at the finding"(state) {
        const action = state.actions["warprace.timeline"];
        await vscode.commands.executeCommand(action.command, ...action.arguments);
        const seen = await until("the page's own words", () => {
            const seen = state.extension.timeline.seen;
            return seen && /What happened/.test(seen.detail) && seen;
        });
        assert.match(seen.detail, /Why nothing orders them/);
    },

    async "a saved report is opened, and its page is made"(state) {
        state.extension.timeline.seen = undefined;
        const count = await vscode.commands.executeCommand("warprace.open", vscode.Uri.file(path.join(folder(), "saved.json")));
        assert.strictEqual(count, 1);
        await vscode.commands.executeCommand("warprace.timeline");
        await until("the saved report's page", () => {
            const seen = state.extension.timeline.seen;
            return seen && /What happened/.test(seen.detail);
        });
    },

    async "fix shows a difference, and changes the source on request only"(state) {
        const before = await fs.readFile(source().fsPath, "utf8");
        const action = state.actions["warprace.fix"];
        const { offer, apply } = await vscode.commands.executeCommand(action.command, ...action.arguments);
        assert.match(offer.diff, /^\+ *__syncthreads\(\);/m);
        const tab = vscode.window.tabGroups.all.flatMap((group) => group.tabs).find((tab) => tab.input instanceof vscode.TabInputTextDiff);
        assert.strictEqual(tab.input.original.fsPath, source().fsPath);
        const proposed = await vscode.workspace.openTextDocument(tab.input.modified);
        assert.match(proposed.getText(), /__syncthreads\(\);/);
        assert.strictEqual(await fs.readFile(source().fsPath, "utf8"), before);
        await apply();
        assert.match(await fs.readFile(source().fsPath, "utf8"), /__syncthreads\(\);/);
        await until("no findings", () => own(source()).length === 0);
    },

    async "a program that cannot be run is an error that says so"() {
        const ran = await vscode.commands.executeCommand("warprace.run", { command: ["./absent"] });
        assert.strictEqual(ran, undefined);
    },
};

exports.run = async () => {
    const state = {};
    const results = [];
    for (const [name, step] of Object.entries(steps)) {
        const begun = Date.now();
        try {
            await step(state);
            results.push({ name, ms: Date.now() - begun });
        } catch (error) {
            results.push({ name, ms: Date.now() - begun, error: String((error && error.stack) || error) });
        }
    }
    const beside = `${process.env.WARPRACE_EDITOR_RESULT}.part`;
    await fs.writeFile(beside, JSON.stringify({ version: vscode.version, host: vscode.env.appHost, results }));
    await fs.rename(beside, process.env.WARPRACE_EDITOR_RESULT);
    if (results.some((each) => each.error)) throw new Error("some steps failed");
};
