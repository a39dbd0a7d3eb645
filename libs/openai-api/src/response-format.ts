import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Checked, Nested } from '@svc/validation';
import { IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { FUNCTION_NAME_PATTERN } from './function-name';
import { checkJsonSchema } from './json-schema-check';

export class JsonSchemaFormat {
  @ApiProperty({ pattern: FUNCTION_NAME_PATTERN.source })
  @Matches(FUNCTION_NAME_PATTERN, { message: 'must be 1 to 64 letters, digits, "_" or "-"' })
  name!: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  description?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'A JSON Schema, as the `parameters` of a tool.',
  })
  @IsOptional()
  @Checked(checkJsonSchema)
  schema?: Record<string, unknown>;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  strict?: boolean;
}

export class ResponseFormat {
  @ApiProperty({ enum: ['text', 'json_object', 'json_schema'] })
  @IsIn(['text', 'json_object', 'json_schema'])
  type!: 'text' | 'json_object' | 'json_schema';

  @ApiPropertyOptional({
    type: () => JsonSchemaFormat,
    description: 'Required when the type is `json_schema`.',
  })
  @IsOptional()
  @Nested(() => JsonSchemaFormat)
  json_schema?: JsonSchemaFormat;
}
