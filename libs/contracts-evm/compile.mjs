// Compiles contracts/*.sol into src/generated: one TypeScript file per contract with its ABI and creation bytecode. Run by Nx before the build; a warning fails it as an error does.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';

const root = import.meta.dirname;
const require = createRequire(import.meta.url);
const generated = join(root, 'src/generated');

const fileNames = readdirSync(join(root, 'contracts')).filter((name) => name.endsWith('.sol'));
const input = {
  language: 'Solidity',
  sources: Object.fromEntries(
    fileNames.map((name) => [name, { content: readFileSync(join(root, 'contracts', name), 'utf8') }]),
  ),
  settings: {
    // Cancun is what every chain with native USDC runs at least.
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 10_000 },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  },
};

function resolveImport(path) {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') };
  } catch {
    return { error: `${path} is not installed` };
  }
}

const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolveImport }));
// 2394 tells that transient storage can break composability and that a reentrancy guard, our only use of it, is safe.
const problems = (output.errors ?? []).filter(({ errorCode }) => errorCode !== '2394');
for (const problem of problems) console.error(problem.formattedMessage);
if (problems.length > 0) process.exit(1);

rmSync(generated, { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
for (const fileName of fileNames) {
  const name = fileName.replace(/\.sol$/, '');
  const { abi, evm } = output.contracts[fileName][name];
  const lines = [
    `// Compiled from contracts/${fileName} by solc ${solc.version()}. Do not edit.`,
    "import type { JsonFragment } from 'ethers';",
    '',
    `export const ${name}Artifact: { abi: JsonFragment[]; bytecode: string } = {`,
    `  abi: ${JSON.stringify(abi)},`,
    `  bytecode: '0x${evm.bytecode.object}',`,
    '};',
    '',
  ];
  const fileStem = name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  writeFileSync(join(generated, `${fileStem}.ts`), lines.join('\n'));
  console.log(`${name}: ${evm.bytecode.object.length / 2} bytes of creation code`);
}
