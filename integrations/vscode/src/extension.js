// warprace in VS Code: findings as diagnostics, and what can be done with them.
"use strict";

const fs = require("fs/promises");
const path = require("path");
const vscode = require("vscode");
const { parse, words } = require("./report");
const { Findings } = require("./findings");
const { Timeline } = require("./timeline");
const fixes = require("./fix");
const tool = require("./tool");

/** The folder of the workspace that a file belongs to, or the first one. */
function folderOf(uri) {
    const folder = (uri && vscode.workspace.getWorkspaceFolder(uri)) || (vscode.workspace.workspaceFolders || [])[0];
    return folder ? folder.uri.fsPath : process.cwd();
}

function options() {
    return vscode.workspace.getConfiguration("warprace").get("options") || [];
}

class Extension {
    /** @param {vscode.ExtensionContext} context */
    constructor(context) {
        this.context = context;
        this.folder = (context.storageUri || context.globalStorageUri).fsPath;
        this.output = vscode.window.createOutputChannel("warprace");
        this.findings = new Findings();
        this.timeline = new Timeline(this.folder);
        this.changed = new fixes.Changed();
        this.runs = 0;
        /** Reports whose commands may be run: those of this editor's own runs, and those that the user has allowed. */
        this.permitted = new Set();
        this.heard = (text) => this.output.append(text);
    }

    begin() {
        const everywhere = { scheme: "file" };
        const commands = {
            run: (request) => this.run(request),
            open: (uri) => this.open(uri),
            timeline: (finding) => this.showTimeline(finding),
            explain: (finding) => this.explain(finding),
            replay: (finding) => this.replay(finding),
            fix: (finding) => this.fix(finding),
            clear: () => this.findings.clear(),
        };
        const registered = Object.entries(commands).map(([name, body]) =>
            vscode.commands.registerCommand(`warprace.${name}`, async (...args) => {
                try {
                    return await body(...args);
                } catch (error) {
                    vscode.window.showErrorMessage(`warprace: ${error.message}`);
                    return undefined;
                }
            }));
        this.context.subscriptions.push(
            ...registered,
            this.output,
            this.findings.collection,
            vscode.languages.registerHoverProvider(everywhere, this.findings),
            vscode.languages.registerCodeActionsProvider(everywhere, this.findings, {
                providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
            }),
            vscode.workspace.registerTextDocumentContentProvider("warprace", this.changed),
            vscode.tasks.registerTaskProvider("warprace", new Tasks()),
        );
        this.follow();
        this.context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration("warprace.report")) this.follow();
        }));
    }

    /** Shows the report that the setting names, now and whenever it changes. */
    follow() {
        if (this.watcher) this.watcher.dispose();
        const name = vscode.workspace.getConfiguration("warprace").get("report");
        const folder = (vscode.workspace.workspaceFolders || [])[0];
        if (!name || !folder) return;
        const file = path.resolve(folder.uri.fsPath, name);
        const read = () => this.read(file, folder.uri.fsPath).catch((error) => this.heard(`${file}: ${error.message}\n`));
        const pattern = new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), path.basename(file));
        this.watcher = vscode.workspace.createFileSystemWatcher(pattern);
        this.watcher.onDidChange(read);
        this.watcher.onDidCreate(read);
        this.context.subscriptions.push(this.watcher);
        fs.access(file).then(read, () => {});
    }

    /** Reads a report and shows its findings. */
    async read(file, folder, page) {
        const reports = parse(await fs.readFile(file, "utf8"), file, folder);
        for (const report of reports) report.page = page;
        this.findings.show(file, reports);
        return reports;
    }

    /** @param {{ command: string[], options?: string[], cwd?: string } | undefined} request */
    async run(request) {
        const asked = request || (await this.askForProgram());
        if (!asked) return undefined;
        const cwd = asked.cwd || folderOf(vscode.window.activeTextEditor && vscode.window.activeTextEditor.document.uri);
        await fs.mkdir(this.folder, { recursive: true });
        this.runs += 1;
        const [report, page] = ["json", "html"].map((end) => path.join(this.folder, `run-${process.pid}-${this.runs}.${end}`));
        const args = ["run", "--json", report, "--html", page, ...(asked.options || options()), "--", ...asked.command];
        this.heard(`$ warprace ${args.map(fixes.quoted).join(" ")}\n`);
        const { code, stderr } = await tool.run(`warprace: ${asked.command.join(" ")}`, args, cwd, this.heard);
        const written = await fs.access(report).then(() => true, () => false);
        if (!written) throw new Error(tool.lastLines(stderr) || `warprace ended with ${code}`);
        const [read] = await this.read(report, cwd, page);
        this.permitted.add(report);
        this.sayVerdict(read);
        return { code, verdict: read.verdict, report };
    }

    async askForProgram() {
        const last = this.context.workspaceState.get("program", "");
        const line = await vscode.window.showInputBox({
            title: "Run a program under warprace",
            prompt: "The program and its arguments, in the workspace's folder",
            value: last,
            placeHolder: "./app 1000",
        });
        if (!line || !line.trim()) return undefined;
        await this.context.workspaceState.update("program", line);
        return { command: words(line.trim()) };
    }

    async sayVerdict(report) {
        const count = report.findings.length;
        const found = count === 1 ? "1 finding" : `${count} findings`;
        const text = `warprace: ${report.verdict}${count ? `, ${found}` : ""}`;
        const doubts = report.document.inconclusive || [];
        if (count) {
            const picked = await vscode.window.showWarningMessage(text, "Show the timeline", "Problems");
            if (picked === "Problems") vscode.commands.executeCommand("workbench.actions.view.problems");
            else if (picked) vscode.commands.executeCommand("warprace.timeline");
        } else if (report.verdict === "clean") vscode.window.showInformationMessage(text);
        else vscode.window.showWarningMessage(`${text}${doubts.length ? `: ${doubts[0]}` : ""}`);
    }

    /** Shows a saved report; its paths and its command are relative to the workspace's folder. */
    async open(uri) {
        const picked = uri || ((await vscode.window.showOpenDialog({ filters: { "Reports of warprace": ["json"] } })) || [])[0];
        if (!picked) return undefined;
        const reports = await this.read(picked.fsPath, folderOf(picked));
        return reports.flatMap((report) => report.findings).length;
    }

    async showTimeline(given) {
        const finding = given || undefined;
        const report = finding ? finding.report : this.findings.last();
        if (!report) throw new Error("run a program, or open a report, first");
        await this.timeline.show(report, finding);
    }

    /** Asks whether the command of a report may run that this editor has not made. */
    async permit(report) {
        if (report.command.length === 0) throw new Error("the report names no program");
        if (this.permitted.has(report.file)) return true;
        const command = report.command.map(fixes.quoted).join(" ");
        const answer = await vscode.window.showWarningMessage(
            `Run \`${command}\`, as the report says?`, { modal: true, detail: `${report.file}, in ${report.folder}` }, "Run");
        if (answer) this.permitted.add(report.file);
        return Boolean(answer);
    }

    async explain(given) {
        const finding = given || (await this.findings.choose());
        if (!finding || !(await this.permit(finding.report))) return undefined;
        const { report, number } = finding;
        if (report.name) throw new Error("explain takes reports of one program");
        const args = ["explain", "--yes", "--project", report.folder, report.file, String(number)];
        const { code, stdout, stderr } = await tool.run("warprace: explaining", args, report.folder, () => {});
        if (!stdout.trim()) throw new Error(tool.lastLines(stderr) || `warprace ended with ${code}`);
        const uri = vscode.Uri.from({ scheme: "warprace", path: `/${finding.described.class} ${number}.txt` });
        this.changed.set(uri, stdout);
        return vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    }

    /** Runs the program again exactly as the finding was seen. */
    async replay(given) {
        const finding = given || (await this.findings.choose());
        if (!finding || !(await this.permit(finding.report))) return undefined;
        const { described, report } = finding;
        const line = words(described.replay);
        if (line[0] !== "warprace") throw new Error("the finding names no command that shows it again");
        const definition = { type: "warprace", command: report.command };
        // Its problems are shown already.
        return vscode.tasks.executeTask(task(definition, "replay", line.slice(1), report.folder, []));
    }

    async fix(given) {
        const finding = given || (await this.findings.choose());
        if (!finding || !(await this.permit(finding.report))) return undefined;
        const { folder } = finding.report;
        const offer = await fixes.offer(finding, options(), this.folder, this.heard);
        if (!offer) {
            vscode.window.showInformationMessage("warprace: no change that it tries removes this finding");
            return undefined;
        }
        await fixes.show(offer, folder, this.changed);
        const text = `${offer.change || "This change"} leaves no finding. Nothing is changed yet.`;
        vscode.window.showInformationMessage(text, "Apply").then(async (picked) => {
            if (picked) await this.apply(offer, folder);
        });
        return { offer, apply: () => this.apply(offer, folder) };
    }

    /** Makes the change. The findings are of the program before it, so that they go. */
    async apply(offer, folder) {
        await fixes.apply(offer, folder);
        this.findings.clear();
        vscode.window.showInformationMessage("warprace: changed; build the program and run it again");
    }
}

/** A task that runs warprace without a shell. */
function task(definition, name, args, cwd, matchers = "$warprace") {
    const execution = new vscode.ProcessExecution(tool.tool(), args, { cwd, env: { NO_COLOR: "1" } });
    const scope = (vscode.workspace.workspaceFolders || [])[0] || vscode.TaskScope.Workspace;
    return new vscode.Task(definition, scope, name, "warprace", execution, matchers);
}

class Tasks {
    async provideTasks() {
        const project = await fs.access(path.join(folderOf(), "warprace.toml")).then(() => true, () => false);
        return project ? [this.made({ type: "warprace", command: ["check"] })] : [];
    }

    resolveTask(task) {
        return this.made(task.definition);
    }

    made(definition) {
        const { command, options: own } = definition;
        const checks = command.length === 1 && command[0] === "check";
        const args = checks ? ["check", ...(own || [])] : ["run", ...(own || options()), "--", ...command];
        return task(definition, command.join(" "), args, folderOf());
    }
}

exports.activate = (context) => {
    const extension = new Extension(context);
    extension.begin();
    return extension;
};

exports.deactivate = () => {};
