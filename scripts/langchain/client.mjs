// Does with LangChain's MultiServerMCPClient what the benchmark of the gateway's
// MCP host does, and tells how long it took. The benchmark gives the work as JSON
// in the last argument: {command, args, tool, arguments, warm, calls, parallel,
// together}. The first line on stdout, "tools N", says that the tools are there;
// the second one has the figures, times in nanoseconds.
import { readFileSync } from "node:fs";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const work = JSON.parse(process.argv.at(-1));
const now = () => Number(process.hrtime.bigint());
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;

const connecting = now();
const client = new MultiServerMCPClient({
  mcpServers: { s: { transport: "stdio", command: work.command, args: work.args } },
});
const tools = await client.getTools();
const connect = now() - connecting;
console.log(`tools ${tools.length}`);
const idle = rss();

const tool = tools.find((t) => t.name === work.tool || t.name.endsWith(`__${work.tool}`));
for (let i = 0; i < work.warm; i++) await tool.invoke(work.arguments);

const took = [];
for (let i = 0; i < work.calls; i++) {
  const begin = now();
  await tool.invoke(work.arguments);
  took.push(now() - begin);
}
took.sort((a, b) => a - b);

let left = work.together;
const begin = now();
await Promise.all(
  Array.from({ length: work.parallel }, async () => {
    while (left-- > 0) await tool.invoke(work.arguments);
  }),
);
const each = (now() - begin) / work.together;

console.log(
  JSON.stringify({
    connect,
    p50: took[Math.floor(took.length / 2)],
    p99: took[Math.floor(took.length * 0.99)],
    parallel: each,
    idle,
    after: rss(),
  }),
);
await client.close();
