// Runs of warprace.
"use strict";

const { spawn } = require("child_process");
const vscode = require("vscode");

/** The exit codes that say what kind of answer there is (docs/options.md). */
const RACES = 66;
const INCONCLUSIVE = 67;

function tool() {
    return vscode.workspace.getConfiguration("warprace").get("path") || "warprace";
}

/** An environment in which warprace prints no colours, whose output goes to a document. */
function plain() {
    return { ...process.env, NO_COLOR: "1" };
}

/**
 * Runs warprace with a notification that can cancel it.
 * @param {string} title
 * @param {string[]} args
 * @param {string} cwd
 * @param {(text: string) => void} heard receives what it prints, while it runs
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string, cancelled: boolean }>}
 */
function run(title, args, cwd, heard) {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, (progress, cancellation) => new Promise((resolve, reject) => {
        const child = spawn(tool(), args, { cwd, env: plain(), stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "", stderr = "", cancelled = false;
        const hear = (text) => {
            heard(text);
            const lines = text.split(/[\r\n]/).filter((line) => line.trim());
            if (lines.length) progress.report({ message: lines[lines.length - 1].slice(0, 120) });
        };
        child.stdout.setEncoding("utf8").on("data", (text) => { stdout += text; hear(text); });
        child.stderr.setEncoding("utf8").on("data", (text) => { stderr += text; hear(text); });
        // warprace passes the signal on, and reports what was found until then.
        cancellation.onCancellationRequested(() => { cancelled = true; child.kill("SIGINT"); });
        child.on("error", (error) => reject(new Error(
            error.code === "ENOENT" ? `there is no program \`${tool()}\`: the setting warprace.path says where it is` : error.message)));
        child.on("close", (code) => resolve({ code, stdout, stderr, cancelled }));
    }));
}

/** The last lines of a text, for a message. */
function lastLines(text, most = 3) {
    return text.trim().split("\n").slice(-most).join(" ").trim();
}

module.exports = { RACES, INCONCLUSIVE, tool, run, lastLines };
