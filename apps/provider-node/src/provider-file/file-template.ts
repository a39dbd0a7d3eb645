/** What a new file says that is known by then. */
export interface TemplateValues {
  market: string;
  name: string;
  /** Relative to the file. */
  keyFile: string;
  /** The market's chain and contract, when it could be asked. */
  chain?: { id: number; settlement: string };
}

/** The file that `svc-provider init` writes: everything there is to say, with a first offer to be changed. */
export function fileTemplate({ market, name, keyFile, chain }: TemplateValues): string {
  return `# What this provider sells. Commands: svc-provider --help
# Texts may hold \${NAME}: a variable of the environment, for what is secret.
market: ${market}

provider:
  name: ${JSON.stringify(name)}
  contact: ''                     # how the market's operators reach you; shown to nobody else

wallet:                           # signs what you say, and earns
  key_file: ${JSON.stringify(keyFile)}
  # keystore: wallet.json         # instead: an encrypted key; its password from SVC_PROVIDER_PASSWORD, or asked for

${chainSection(chain)}
node:                             # what "svc-provider serve" runs
  port: 9100
  models: [my-model]
  # token: \${NODE_TOKEN}          # what callers must send, at least 8 characters; the offer's token says the same
  # upstream:                     # your own model server (Ollama, vLLM, llama.cpp, ...); a simulated demo engine without
  #   url: http://127.0.0.1:11434/v1
  #   model: qwen2.5:0.5b
  #   api_key: \${UPSTREAM_KEY}

offers:
  - name: first                   # your own word for it
    model: svc/demo-small@1       # one of the market's: GET ${market}/v1/models
    bundle:                       # the build; or id: one that the market's catalogue knows
      weights_digest: none:simulated
      quantisation: none
      engine: provider-node demo engine
    profile:                      # how it is run; or id
      hardware_class: cpu
      context_limit: 8192
      speed_tier: standard
    endpoint: http://127.0.0.1:9100/v1   # where the market reaches it
    upstream_model: my-model      # the model's name there
    # token: \${NODE_TOKEN}        # sealed before it is stored
    input_price_per_mtok: 90000   # base units (10^-6 USDC) per million tokens: 0.09 USDC
    output_price_per_mtok: 360000
    concurrency: 4                # requests at once
    context_limit: 8192           # tokens of one request, input and output together (llama.cpp: -c / -np)
    first_token_timeout_ms: 10000
    chunk_timeout_ms: 10000
    valid_days: 90                # or expires_at: 2027-01-31T00:00:00Z
`;
}

function chainSection(chain: TemplateValues['chain']): string {
  const lines = [
    'chain:                            # nothing is signed for others: compare with what the market publishes',
    `  id: ${chain?.id ?? 31_337}`,
    `  settlement: '${chain?.settlement ?? '0x…'}'`,
    '  # rpc_url: http://127.0.0.1:8545   # a node of that chain, for "earnings --claim"',
  ];
  return (chain ? lines : lines.map((line) => `# ${line.replace('  # ', '  ')}`))
    .map((line) => `${line}\n`)
    .join('');
}
