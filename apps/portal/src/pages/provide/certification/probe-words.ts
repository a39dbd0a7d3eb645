interface ProbeWords {
  title: string;
  /** What is tried, in a sentence. */
  asks: string;
  /** What to do when it fails. */
  advice: string;
}

const WORDS: Record<string, ProbeWords> = {
  plain_text: {
    title: 'Answers',
    asks: 'A short text, and the list of models that heartbeats ask for.',
    advice:
      'See that the endpoint ends in /v1, that the model’s name is the one your server knows, and that the token is right.',
  },
  stream_text: {
    title: 'Streams',
    asks: 'A text as a stream; it must come in pieces.',
    advice: 'Turn off buffering in proxies before your server; replies must be sent as they are written.',
  },
  concurrency: {
    title: 'Serves several at once',
    asks: '1, 2, 4 … replies at once, up to what you offered.',
    advice:
      'Requests waited for one another or were refused. Offer fewer at once, or let your server run more.',
  },
  disconnect: {
    title: 'Stops when a client hangs up',
    asks: 'Fills all places, hangs up, and asks again at once.',
    advice:
      'Your server went on writing for nobody. It has to stop generating when its client’s connection closes.',
  },
  max_tokens: {
    title: 'Keeps to max_tokens',
    asks: 'A long text in 16 tokens.',
    advice: 'Your server wrote more than max_tokens, or did not say finish_reason “length”.',
  },
  stop: {
    title: 'Keeps to stop words',
    asks: 'A text that must end before a given word.',
    advice: 'The stop word came through, or finish_reason was not “stop”.',
  },
  usage_honesty: {
    title: 'Counts tokens honestly',
    asks: 'Prompts and replies of known length, against what is claimed.',
    advice:
      'The usage that your server claims does not fit what was asked and written. Nobody is paid for more than was.',
  },
  tool_auto: toolWords('auto', 'may call a tool'),
  tool_none: toolWords('none', 'must not call a tool'),
  tool_required: toolWords('required', 'must call some tool'),
  tool_function: toolWords('function', 'must call the named tool'),
  parallel_tool_calls: {
    title: 'Calls tools in parallel',
    asks: 'Something that wants three calls at once.',
    advice: 'Fewer than two calls came. The offer is not sold for parallel calls.',
  },
  strict_schemas: {
    title: 'Keeps to strict schemas',
    asks: 'A tool call whose arguments have to match a nested schema.',
    advice: 'The arguments did not match. The offer is not sold for strict schemas.',
  },
  response_format: {
    title: 'Structured output',
    asks: 'A reply that is a JSON object, and one that matches a schema.',
    advice: 'The reply was no such JSON. The offer is not sold for structured output.',
  },
  argument_bytes: {
    title: 'Large arguments',
    asks: 'Tool arguments of growing size.',
    advice: 'None of the sizes held. The offer is sold for small arguments only.',
  },
  agentic: {
    title: 'Uses a tool’s result',
    asks: 'A tool call, its result, and an answer that uses it.',
    advice: 'The answer did not use the result. The offer is not sold as agentic.',
  },
};

function toolWords(choice: string, meaning: string): ProbeWords {
  return {
    title: `Tool choice “${choice}”`,
    asks: `A request that ${meaning}.`,
    advice: `What came is not what the choice means. The offer is not sold for tool choice “${choice}”.`,
  };
}

/** A probe in words; one that this page does not know yet by its name. */
export function probeWords(name: string): ProbeWords {
  return WORDS[name] ?? { title: name.replaceAll('_', ' '), asks: '', advice: '' };
}
