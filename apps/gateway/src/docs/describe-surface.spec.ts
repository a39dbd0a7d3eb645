import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ChatCompletionRequest } from '@svc/openai-api';
import { getMetadataStorage } from 'class-validator';
import { describeSurface } from './describe-surface';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await describeSurface();
});

describe('the OpenAPI document', () => {
  it('is the committed one (npm run openapi writes it)', () => {
    const committed = readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('is OpenAPI 3.1 and refers to nothing that is not there', () => {
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    // A word of 3.0.
    expect(text).not.toContain('"nullable"');
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components?.schemas).toHaveProperty(name ?? '');
    }
  });

  it('describes every operation and every field that is validated', () => {
    expect(Object.keys(document.paths).sort()).toEqual([
      '/v1/chat/completions',
      '/v1/models',
      '/v1/models/{id}',
      '/v1/receipts/{id}',
    ]);
    const schema = document.components?.schemas?.ChatCompletionRequest as {
      properties: object;
      required: string[];
    };
    const validated = getMetadataStorage()
      .getTargetValidationMetadatas(ChatCompletionRequest, '', false, false)
      .map(({ propertyName }) => propertyName);
    expect(Object.keys(schema.properties).sort()).toEqual([...new Set(validated)].sort());
    expect(schema.required).toEqual(['model', 'messages']);
  });
});
