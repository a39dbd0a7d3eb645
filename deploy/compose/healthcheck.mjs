// Healthy or not, for Docker: exit code 0 or 1.
// usage: node healthcheck.mjs ready          GET /health/ready of the service in this container
//        node healthcheck.mjs chain          eth_chainId of the chain in this container
const [kind] = process.argv.slice(2);
setTimeout(() => process.exit(1), 3_000).unref();

const checks = {
  ready: () => fetch(`http://127.0.0.1:${process.env.HTTP_PORT}/health/ready`),
  chain: () =>
    fetch('http://127.0.0.1:8545', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    }),
};

try {
  const response = await checks[kind]();
  process.exitCode = response.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
