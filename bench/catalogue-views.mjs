// What bench:catalogue fills the catalogue's buckets with: models and offers that differ as those of a real market do.

const digits = (index, length) => String(index).padStart(length, '0');
const hex = (index, length) =>
  ((index + 1) * 2_654_435_761).toString(16).padStart(length, '7').slice(-length);

/** The model at `index`, as the catalogue publishes it. */
export function modelOf(index, inputPricePerMtok = String(50_000 + index)) {
  return {
    id: `svc/bench-${hex(index, 6)}-${digits(index, 4)}@${1 + (index % 3)}`,
    created: 1_750_000_000 + index * 61,
    ownedBy: `house-${index % 37}`,
    contextLimit: 8_192 << (index % 5),
    capabilities: {
      workload: 'chat',
      tools: true,
      structuredOutputs: index % 2 === 0,
      reasoning: index % 3 === 0,
      streaming: true,
      maxOutputTokens: 4_096 << (index % 3),
    },
    toolContract: {
      tool_choice: ['auto', 'none', 'required', 'function'].slice(0, 1 + (index % 4)),
      parallel_tool_calls: index % 2 === 1,
      strict_schemas: index % 4 === 0,
      tool_streaming: 'buffered',
      max_argument_bytes: 1_024 << (index % 7),
      certified_concurrency: 1 + (index % 64),
      agentic_certified: index % 5 === 0,
      metering_version: 1,
      certification_id: `crt_${hex(index, 8)}${hex(index * 7, 8)}${hex(index * 13, 8)}`,
    },
    pricing: { inputPricePerMtok, outputPricePerMtok: String(200_000 + index * 3) },
  };
}

/** The offer at `index`, of one of so many models, as the catalogue publishes it. */
export function offerOf(index, models) {
  return {
    offerId: `ofr_${hex(index, 16)}${hex(index * 3, 16)}`,
    version: 1 + (index % 9),
    model: modelOf(index % models).id,
    provider: `0x${hex(index % 500, 40)}`,
    bundleId: `bnd_${hex(index % models, 32)}`,
    profileId: `prf_${hex(index % 50, 32)}`,
    endpoint: `https://llm-${digits(index, 5)}.provider-${index % 500}.example.com/v1`,
    upstreamModel: `upstream-model-${index % models}-instruct`,
    credential: hex(index, 16).repeat(12),
    certified: {
      certificationId: `crt_${hex(index, 32)}`,
      structuredOutputs: index % 2 === 0,
      maxOutputTokens: 4_096,
      tools: { choices: ['auto', 'none', 'required', 'function'], parallelCalls: true, strictSchemas: false },
    },
    contextLimit: 32_768,
    inputPricePerMtok: String(50_000 + index),
    outputPricePerMtok: String(200_000 + index),
    concurrency: 1 + (index % 64),
    firstTokenTimeoutMs: 10_000,
    chunkTimeoutMs: 5_000,
  };
}
