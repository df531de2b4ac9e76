/**
 * Go's grpc-gateway, with which nodes print their REST answers, before a separate node: built from Debian's packages
 * `golang-grpc-gateway`, `golang-github-grpc-ecosystem-grpc-gateway-dev`, `golang-goprotobuf-dev`, `protobuf-compiler` and
 * `golang-go`, where they are installed.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../scripts/run-command.ts";

export interface GoGateway {
  readonly url: string;
  readonly kill: () => void;
}

const run = promisify(execFile);
const sources = join(projectRoot, "bench/reference");
/** Where Debian keeps Go packages. */
const DEBIAN_PACKAGES = "/usr/share/gocode";

/** Starts it, or returns a sentence that explains why it cannot. `folder` must be empty. */
export async function startGoGateway(folder: string): Promise<GoGateway | string> {
  const home = join(folder, "src/echo");
  const program = join(folder, "echo");
  mkdirSync(join(home, "echo"), { recursive: true });
  copyFileSync(join(sources, "main.go"), join(home, "main.go"));
  const imports = [`-I${sources}`, `-I${join(projectRoot, "node_modules/@protobufs")}`];
  const plugins = ["--go_out=plugins=grpc:echo", "--grpc-gateway_out=logtostderr=true:echo"];
  const variables = { GO111MODULE: "off", GOPATH: `${folder}:${DEBIAN_PACKAGES}`, GOCACHE: join(folder, "cache") };
  try {
    await run("protoc", [...imports, ...plugins, join(sources, "echo.proto")], { cwd: home });
    await run("go", ["build", "-o", program, "."], { cwd: home, env: { ...process.env, ...variables } });
  } catch (error) {
    const [reason = ""] = (error as Error).message.trim().split("\n").slice(-1);
    return `Go's grpc-gateway could not be built: ${reason}`;
  }
  const node = await start(program, ["node"]);
  const gateway = await start(program, ["gateway", node.address]);
  return {
    url: `http://${gateway.address}`,
    kill: () => {
      gateway.child.kill("SIGKILL");
      node.child.kill("SIGKILL");
    },
  };
}

async function start(program: string, args: readonly string[]): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { child, address: line.trim() };
}
