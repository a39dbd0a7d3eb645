/**
 * `npm run conformance -- --url http://…/v1 --key svc_…`: tries every promise of the interface on a service, from outside
 * (docs/conformance.md). What is not said is taken from `SVC_BASE_URL` and `SVC_API_KEY`. Ends with 0 when nothing failed, 1 when something
 * did, 2 when it could not be run.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bin, prepare, root } from './prepare.mjs';
import { endOnSignal, runOrThrow } from './run.mjs';
import { outliveReaders } from './standard-output.mjs';

const app = join(root, 'apps/conformance/dist/run-command.js');
/** The suite, and the one library it takes: it makes keys that nobody has. */
const projects = '@svc/conformance,@svc/api-key';

endOnSignal();
outliveReaders(2);
try {
  await build();
  const { runCommand } = createRequire(import.meta.url)(app);
  process.exitCode = await runCommand(argumentsOf(process), (line) => process.stdout.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

/** Says nothing when all goes well: with `--json` the output is one document. */
async function build() {
  if (!existsSync(bin('nx'))) return prepare();
  await runOrThrow(bin('nx'), ['run-many', '-t', 'build', '-p', projects], {
    cwd: root,
    env: { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' },
  });
}

function argumentsOf({ argv, env }) {
  const said = argv.slice(2);
  const isSaid = (option) => said.some((arg) => arg === option || arg.startsWith(`${option}=`));
  const usual = { '--url': env.SVC_BASE_URL, '--key': env.SVC_API_KEY };
  const unsaid = Object.entries(usual).filter(([option, value]) => value && !isSaid(option));
  return [...said, ...unsaid.map(([option, value]) => `${option}=${value}`)];
}
