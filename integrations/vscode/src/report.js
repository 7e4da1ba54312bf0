// Reports of warprace, as JSON. This file needs no editor.
"use strict";

const path = require("path");

/**
 * @typedef {{ file: string, line: number, column: number, function: string, who: string, what: string,
 *     test?: string, nvtx?: string[] }} Access
 * @typedef {{ id: string, class: string, title: string, why: string, fix: string, replay: string,
 *     replay_string?: string, count: number, page?: string, memory: { text: string }, accesses: Access[] }} Described
 * @typedef {{ level: "race" | "hazard", number: number, described: Described, report: Report }} Finding
 * @typedef {{ file: string, folder: string, name: string, verdict: string, command: string[], findings: Finding[],
 *     document: object, page?: string }} Report
 */

/** The version of the JSON that is understood. */
const VERSION = 1;

/**
 * Reads what `warprace run --json` or `warprace check --json` has written: one document, or several by name.
 * @param {string} text
 * @param {string} file the report's path
 * @param {string} folder the folder in which the program ran: paths and its command are relative to it
 * @returns {Report[]}
 */
function parse(text, file, folder) {
    const json = JSON.parse(text);
    if (json === null || typeof json !== "object") throw new Error("this is no report of warprace");
    const documents = "version" in json ? [["", json]] : Object.entries(json);
    return documents.map(([name, document]) => report(name, document, file, folder));
}

function report(name, document, file, folder) {
    if (document === null || typeof document !== "object" || !Array.isArray(document.races))
        throw new Error("this is no report of warprace");
    if (document.version !== VERSION)
        throw new Error(`the report has version ${document.version}, and this extension reads version ${VERSION}`);
    const command = ((document.program || {}).command || []).map((word) =>
        typeof word === "string" ? word : Buffer.from(word).toString());
    /** @type {Report} */
    const result = { file, folder, name, verdict: document.verdict, command, findings: [], document };
    // warprace numbers findings so, from 1.
    const levels = [["race", document.races], ["hazard", document.hazards || []]];
    for (const [level, all] of levels)
        for (const described of all)
            result.findings.push({ level, number: result.findings.length + 1, described, report: result });
    return result;
}

/** The path of an access, or "" if it has none. */
function fileOf(access, folder) {
    return access.file ? path.resolve(folder, access.file) : "";
}

/** The accesses that have a place in a source, each with its number, 1 or 2. */
function placed(finding) {
    return finding.described.accesses
        .map((access, n) => ({ access, number: n + 1 }))
        .filter(({ access }) => access.file && access.line > 0);
}

/** What one access is, in a line. */
function label({ access, number }) {
    return `(${number}) ${access.what} by ${access.who}`;
}

/** The notes of a finding, by name, as the report on the terminal has them. */
function notes(finding) {
    const d = finding.described;
    const same = (of) => {
        const texts = d.accesses.map(of);
        if (texts[0] === texts[1]) return texts[0];
        return texts.map((text, n) => text && `(${n + 1}) ${text}`).filter(Boolean).join(", ");
    };
    return [
        ["memory", d.memory.text],
        ["test", same((a) => a.test || "")],
        ["nvtx", same((a) => (a.nvtx || []).join(" > "))],
        ["why", d.why],
        ["help", d.fix],
        ["replay", d.replay],
    ].filter(([, text]) => text);
}

/**
 * The words after `warprace` of a command that warprace itself has written (`warprace run --replay … -- ./app 'a b'`):
 * quotes as a shell reads them.
 * @param {string} line
 * @returns {string[]}
 */
function words(line) {
    const all = [];
    let word = null;
    for (let i = 0; i < line.length; i++) {
        const c = line[i];
        if (c === "'" || c === '"') {
            const end = line.indexOf(c, i + 1);
            if (end < 0) throw new Error("a quote is not closed");
            word = (word || "") + line.slice(i + 1, end);
            i = end;
        } else if (c === "\\" && i + 1 < line.length) word = (word || "") + line[++i];
        else if (c === " ") {
            if (word !== null) all.push(word);
            word = null;
        } else word = (word || "") + c;
    }
    if (word !== null) all.push(word);
    return all;
}

module.exports = { parse, fileOf, placed, label, notes, words };
