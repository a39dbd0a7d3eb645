import { pythonLiteral, scriptLiteral, shellWord } from './literals';
import type { Json } from './literals';

/** A chat completion's body, as it is sent. */
export type ChatBody = { model: string; messages: Json[]; stream?: boolean } & { [name: string]: Json };

interface Sample {
  label: string;
  code: string;
}

/** The same request in several languages. The key is read from the environment: a sample never holds one. */
export function chatSamples(baseUrl: string, body: ChatBody): Sample[] {
  return [
    { label: 'curl', code: curlSample(baseUrl, body) },
    { label: 'Python', code: pythonSample(baseUrl, body) },
    { label: 'Node', code: nodeSample(baseUrl, body) },
  ];
}

function curlSample(baseUrl: string, body: ChatBody): string {
  return [
    `curl${body.stream ? ' -N' : ''} ${baseUrl}/chat/completions \\`,
    '  -H "authorization: Bearer $SVC_API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${shellWord(JSON.stringify(body, null, 2))}`,
  ].join('\n');
}

function pythonSample(baseUrl: string, body: ChatBody): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`);
  const call = ['client.chat.completions.create(', ...fields, ')'].join('\n');
  const head = [
    '# pip install openai',
    'import os',
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url=${pythonLiteral(baseUrl)},`,
    '    api_key=os.environ["SVC_API_KEY"],',
    ')',
    '',
  ];
  const use = body.stream
    ? [
        `stream = ${call}`,
        'for chunk in stream:',
        '    if chunk.choices and chunk.choices[0].delta.content:',
        '        print(chunk.choices[0].delta.content, end="", flush=True)',
        '    if getattr(chunk, "svc", None):',
        '        print("\\n", chunk.svc)  # what it cost, and who served it',
      ]
    : [
        `completion = ${call}`,
        'print(completion.choices[0].message.content)',
        'print(completion.svc)  # what it cost, and who served it',
      ];
  return [...head, ...use].join('\n');
}

function nodeSample(baseUrl: string, body: ChatBody): string {
  const call = `await client.chat.completions.create(${scriptLiteral(body)});`;
  const head = [
    '// npm install openai',
    "import OpenAI from 'openai';",
    '',
    'const client = new OpenAI({',
    `  baseURL: ${scriptLiteral(baseUrl)},`,
    '  apiKey: process.env.SVC_API_KEY,',
    '});',
    '',
  ];
  const use = body.stream
    ? [
        `const stream = ${call}`,
        'for await (const chunk of stream) {',
        "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
        "  if (chunk.svc) console.log('\\n', chunk.svc); // what it cost, and who served it",
        '}',
      ]
    : [
        `const completion = ${call}`,
        'console.log(completion.choices[0].message.content);',
        'console.log(completion.svc); // what it cost, and who served it',
      ];
  return [...head, ...use].join('\n');
}

/** With the package `ai`, which has a request form of its own. */
export function aiSample(baseUrl: string, model: string, prompt: string): Sample {
  const code = [
    '// npm install ai @ai-sdk/openai-compatible',
    "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
    "import { streamText } from 'ai';",
    '',
    'const svc = createOpenAICompatible({',
    "  name: 'svc',",
    `  baseURL: ${scriptLiteral(baseUrl)},`,
    '  apiKey: process.env.SVC_API_KEY,',
    '  includeUsage: true,',
    '  supportsStructuredOutputs: true,',
    '});',
    '',
    `const { textStream } = streamText({ model: svc(${scriptLiteral(model)}), prompt: ${scriptLiteral(prompt)} });`,
    'for await (const text of textStream) process.stdout.write(text);',
  ].join('\n');
  return { label: 'Node (ai)', code };
}
