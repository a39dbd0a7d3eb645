import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { plainToInstance } from 'class-transformer';
import { compileValidator } from './compile';
import { Checked, Exact, Nested } from './decorators';
import { isDeeperThan } from './json-depth';

class Leaf {
  @IsString()
  name!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  size?: number;

  @IsOptional()
  @IsNumber()
  @Min(0)
  girth?: number;

  @IsOptional()
  @IsInt({ each: true })
  @Max(500, { each: true })
  rings?: number[];

  @IsOptional()
  @IsInt({ message: 'must be years' })
  age?: number;
}

class Tree {
  @IsIn(['oak', 'ash'])
  kind!: string;

  @IsArray()
  @ArrayMinSize(1)
  @Nested(() => Leaf, { each: true })
  leaves!: Leaf[];

  @IsOptional()
  @Nested(() => Tree)
  child?: Tree;

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @Checked((value) => (value === 'even' ? undefined : { path: '[0]', message: 'must be even' }))
  odd?: unknown;
}

class Words {
  @IsOptional()
  @IsString()
  @Length(1, 3)
  name?: string;

  @IsOptional()
  @MaxLength(3)
  short?: string;

  @IsOptional()
  @MinLength(3, { each: true })
  long?: string[];

  @IsOptional()
  @Length(3, 3)
  exact?: string;

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  list?: unknown[];

  @IsOptional()
  @ArrayMaxSize(1)
  few?: unknown[];

  @IsOptional()
  @ArrayUnique()
  each?: unknown[];

  @IsOptional()
  @IsIn(['oak'])
  only?: string;

  @IsOptional()
  @IsIn(['oak', 'ash'], { message: 'must be a tree' })
  tree?: string;

  @IsOptional()
  @IsBoolean()
  evergreen?: boolean;
}

class Patterns {
  @IsOptional()
  @Matches(/^[a-z]+$/i)
  word?: unknown;

  @IsOptional()
  @Matches(/[a-z]/g)
  found?: unknown;

  @IsOptional()
  @Matches(/^[a-z]+$/, { each: true })
  words?: unknown;
}

@Exact()
class Label {
  @IsString()
  text!: string;

  @IsOptional()
  @IsInt()
  size?: number;
}

class Shelf {
  @Nested(() => Label, { each: true })
  labels!: Label[];
}

const validate = compileValidator(Tree);
const leaf = { name: 'a' };
const WHOLE_NUMBER = /^must be a whole number from 1 to 9$/;

describe('compileValidator', () => {
  it('keeps the declared fields only, at every level', () => {
    const input = {
      kind: 'oak',
      x: 1,
      leaves: [{ ...leaf, y: 2 }],
      child: { kind: 'ash', leaves: [leaf], z: 3 },
    };
    expect(validate(input)).toEqual({
      ok: true,
      value: { kind: 'oak', leaves: [leaf], child: { kind: 'ash', leaves: [leaf] } },
    });
  });

  it.each([
    [{ kind: 'elm', leaves: [leaf] }, 'kind', /^must be one of oak, ash$/],
    [{ leaves: [leaf] }, 'kind', /one of/],
    [{ kind: 'oak', leaves: [] }, 'leaves', /^must be an array of at least 1 item$/],
    [{ kind: 'oak', leaves: {} }, 'leaves', /array/],
    [{ kind: 'oak', leaves: [leaf, null] }, 'leaves[1]', /object/],
    [{ kind: 'oak', leaves: [leaf, []] }, 'leaves[1]', /object/],
    [{ kind: 'oak', leaves: [{ name: 1 }] }, 'leaves[0].name', /string/],
    [{ kind: 'oak', leaves: [{ name: 'a', size: 0 }] }, 'leaves[0].size', WHOLE_NUMBER],
    [{ kind: 'oak', leaves: [{ name: 'a', size: 1.5 }] }, 'leaves[0].size', WHOLE_NUMBER],
    [{ kind: 'oak', leaves: [{ name: 'a', size: 'big' }] }, 'leaves[0].size', WHOLE_NUMBER],
    [{ kind: 'oak', leaves: [{ name: 'a', size: 10 }] }, 'leaves[0].size', WHOLE_NUMBER],
    [
      { kind: 'oak', leaves: [{ name: 'a', girth: -1 }] },
      'leaves[0].girth',
      /^must be a number of at least 0$/,
    ],
    [
      { kind: 'oak', leaves: [{ name: 'a', rings: [1, 2.5] }] },
      'leaves[0].rings[1]',
      /^must be a whole number of at most 500$/,
    ],
    [{ kind: 'oak', leaves: [{ name: 'a', age: '9' }] }, 'leaves[0].age', /^must be years$/],
    [{ kind: 'oak', leaves: [leaf], child: { kind: 'oak', leaves: [{}] } }, 'child.leaves[0].name', /string/],
    [{ kind: 'oak', leaves: [leaf], tags: ['a', 1] }, 'tags[1]', /string/],
    [{ kind: 'oak', leaves: [leaf], odd: 1 }, 'odd[0]', /even/],
    [null, '', /object/],
    ['text', '', /object/],
  ])('names the field of %j', (input, path, message) => {
    const result = validate(input);
    expect(result).toMatchObject({ ok: false, problem: { path } });
    expect(!result.ok && result.problem.message).toMatch(message);
  });

  it.each([
    [{ name: '' }, 'must be a string of 1 to 3 characters'],
    [{ name: 'long' }, 'must be a string of 1 to 3 characters'],
    [{ name: 1 }, 'must be a string of 1 to 3 characters'],
    [{ short: 'long' }, 'must be a string of at most 3 characters'],
    [{ long: ['long', 'no'] }, 'must be a string of at least 3 characters'],
    [{ exact: 'no' }, 'must be a string of 3 characters'],
    [{ list: [] }, 'must be an array of 1 to 2 items'],
    [{ list: {} }, 'must be an array of 1 to 2 items'],
    [{ few: [1, 2] }, 'must be an array of at most 1 item'],
    [{ each: ['oak', 'oak'] }, 'must not name one twice'],
    [{ only: 'ash' }, 'must be "oak"'],
    [{ tree: 'elm' }, 'must be a tree'],
    [{ evergreen: 'yes' }, 'must be true or false'],
  ])('says what is asked for instead of %j', (input, message) => {
    expect(compileValidator(Words)(input)).toMatchObject({ ok: false, problem: { message } });
  });

  it.each([
    ['😀'.repeat(3), '😀'.repeat(4)],
    // A letter and what changes how it looks.
    ['n\ufe0fn', 'n\ufe0fn\ufe0f'],
    ['\ud83d'.repeat(3), '\ud83d'.repeat(4)],
  ])('counts the characters of texts as JSON Schema does: %j', (fits, tooLong) => {
    const check = compileValidator(Words);
    const accepted = [{ name: fits }, { short: fits }, { exact: fits }, { long: [fits, tooLong] }];
    for (const input of accepted) expect(check(input)).toEqual({ ok: true, value: input });
    const refused = [{ name: tooLong }, { short: tooLong }, { exact: tooLong }, { exact: '😀😀' }];
    for (const input of [...refused, { long: ['😀😀'] }])
      expect([input, check(input).ok]).toEqual([input, false]);
  });

  it('refuses fields that an exact class does not have, of that class alone', () => {
    const check = compileValidator(Shelf);
    const labels = [{ text: 'a', size: 1 }, { text: 'b' }];
    expect(check({ labels, more: 1 })).toEqual({ ok: true, value: { labels } });
    expect(check({ labels: [...labels, { text: 'c', sise: 2 }] })).toEqual({
      ok: false,
      problem: { path: 'labels[2].sise', message: 'is not a known field' },
    });
  });

  it('shows no more than the beginning of the name of an unknown field', () => {
    expect(compileValidator(Label)({ text: 'a', ['x'.repeat(50_000)]: 1 })).toEqual({
      ok: false,
      problem: { path: `${'x'.repeat(100)}…`, message: 'is not a known field' },
    });
  });

  it('treats null in an optional field as absent', () => {
    expect(validate({ kind: 'oak', leaves: [leaf], child: null, tags: null })).toEqual({
      ok: true,
      value: { kind: 'oak', leaves: [leaf] },
    });
  });

  it('does not read inherited properties', () => {
    expect(validate(Object.create({ kind: 'oak', leaves: [leaf] })).ok).toBe(false);
  });

  it('agrees with class-validator', () => {
    const cases: object[] = [
      { kind: 'oak', leaves: [leaf] },
      { kind: 'elm', leaves: [leaf] },
      { kind: 'oak', leaves: [{ name: 'a', size: 10 }] },
      { kind: 'oak', leaves: [leaf], tags: [1] },
      { kind: 'oak', leaves: [leaf], odd: 'odd' },
    ];
    for (const input of cases) {
      expect(validate(input).ok).toBe(validateSync(plainToInstance(Tree, input)).length === 0);
    }
  });

  it.each<[object]>([
    [{ word: 'Oak' }],
    [{ word: 'oak 1' }],
    [{ word: 1 }],
    [{ word: ['oak'] }],
    [{ found: '1 oak' }],
    [{ found: '1' }],
    [{ words: ['oak', 'ash'] }],
    [{ words: ['oak', 1] }],
  ])('agrees with class-validator on patterns, however often it is asked: %j', (input) => {
    const check = compileValidator(Patterns);
    for (let time = 0; time < 3; time++) {
      expect(check(input).ok).toBe(validateSync(plainToInstance(Patterns, input)).length === 0);
    }
  });

  it('refuses at start-up what it cannot compile', () => {
    class Conditional {
      @ValidateIf(() => true)
      @IsString()
      a!: string;
    }
    expect(() => compileValidator(Conditional)).toThrow(/ValidateIf|conditional/);
  });
});

describe('isDeeperThan', () => {
  it('counts levels without recursion', () => {
    expect(isDeeperThan(1, 0)).toBe(false);
    expect(isDeeperThan([[1]], 2)).toBe(false);
    expect(isDeeperThan([[[1]]], 2)).toBe(true);
    expect(isDeeperThan(JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)), 64)).toBe(true);
  });
});
