import { HttpCode, applyDecorators } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { IsPlainText, MOST_REASON_CHARS } from '@svc/contracts';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import { IsString, Length, Matches } from 'class-validator';
import { RefusedBodies } from '../../fields/refusals';

const NO_CONTENT = 204;

/** Why an operator does something: nothing is done without. */
export class Judgement {
  @ApiProperty({ minLength: 1, maxLength: MOST_REASON_CHARS, example: 'Asked by its owner.' })
  @IsString()
  @Length(1, MOST_REASON_CHARS)
  @IsPlainText()
  @Matches(/\S/, { message: 'must say why' })
  reason!: string;
}

export const readJudgement = compileValidator(Judgement);

/** Documents an act of an operator's: a reason in, nothing out. */
export function Act(summary: string, operationId: string, description?: string): MethodDecorator {
  return applyDecorators(
    HttpCode(NO_CONTENT),
    ApiOperation({ summary, operationId, description }),
    ApiBody({ type: Judgement }),
    ApiNoContentResponse({ description: 'Done; it stands in the audit trail with the operator’s wallet.' }),
    ApiResponse({
      status: 400,
      type: ErrorResponse,
      description: '`invalid_request`; `param` is the field, e.g. `reason`',
    }),
    RefusedBodies(),
  );
}
