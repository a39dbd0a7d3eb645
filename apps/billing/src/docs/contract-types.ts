import { join } from 'node:path';
import ts from 'typescript';
import { refTo } from './json-schema';
import type { JsonSchema, Schemas } from './json-schema';
import type { Descriptions } from './request-schema';

/** The folder of the clone: this file lies four below it, built or not. */
const workspace = join(__dirname, '../../../..');

/**
 * The contracts as the compiler sees them: replies are types, so only it knows what is in them. Reading them here keeps the
 * types the one source.
 */
export class ContractTypes implements Descriptions {
  private readonly checker: ts.TypeChecker;
  private readonly exports = new Map<string, ts.Symbol>();

  constructor() {
    const file = join(workspace, 'tsconfig.base.json');
    const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as { config: unknown };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, workspace);
    const entry = join(workspace, 'libs/contracts/src/index.ts');
    const program = ts.createProgram([entry], { ...options, types: [], noEmit: true });
    this.checker = program.getTypeChecker();
    const source = program.getSourceFile(entry);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${entry} is no module`);
    for (const symbol of this.checker.getExportsOfModule(module))
      this.exports.set(symbol.name, this.declared(symbol));
  }

  of(className: string, field?: string): string | undefined {
    const symbol = this.exports.get(className);
    if (!symbol) return undefined;
    if (field === undefined) return this.textOf(symbol);
    const property = this.checker.getPropertyOfType(this.checker.getDeclaredTypeOfSymbol(symbol), field);
    return property && this.textOf(property);
  }

  /**
   * The schema of a contract's reply; the interfaces in it go along.
   * @param group an exported object of contracts, e.g. `billingContracts`
   */
  addReplySchema(schemas: Schemas, group: string, contract: string): JsonSchema {
    const symbol = this.exports.get(group);
    const property = symbol && this.checker.getTypeOfSymbol(symbol).getProperty(contract);
    const type = property && this.checker.getTypeOfSymbol(property);
    const reply = type && this.checker.getTypeArguments(type as ts.TypeReference)[1];
    if (!reply) throw new Error(`${group}.${contract} has no reply type`);
    return this.schemaOf(schemas, reply);
  }

  private schemaOf(schemas: Schemas, type: ts.Type): JsonSchema {
    if (type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)) return this.unionSchema(schemas, type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { enum: [type.value] };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: item ? this.schemaOf(schemas, item) : {} };
    }
    if (!(type.flags & ts.TypeFlags.Object))
      throw new Error(`no schema for ${this.checker.typeToString(type)}`);
    const name = type.aliasSymbol?.name ?? type.symbol.name;
    if (name.startsWith('__')) return this.objectSchema(schemas, type);
    if (!schemas[name]) {
      schemas[name] = {};
      Object.assign(
        schemas[name],
        { description: this.textOf(type.symbol) },
        this.objectSchema(schemas, type),
      );
    }
    return refTo(name);
  }

  /** Literals become one enumeration; beside null a plain type becomes a list of types. */
  private unionSchema(schemas: Schemas, types: readonly ts.Type[]): JsonSchema {
    const present = types.filter((type) => !(type.flags & ts.TypeFlags.Undefined));
    const isNullable = present.some((type) => type.flags & ts.TypeFlags.Null);
    const others = present.filter((type) => !(type.flags & ts.TypeFlags.Null));
    const literals = others.flatMap((type) =>
      type.isStringLiteral() || type.isNumberLiteral() ? [type.value] : [],
    );
    const parts =
      literals.length === others.length
        ? [{ type: typeof literals[0], enum: literals } satisfies JsonSchema]
        : dedupe(others.map((type) => this.schemaOf(schemas, type)));
    const [only] = parts;
    if (parts.length === 1 && only) {
      if (!isNullable) return only;
      if (typeof only.type === 'string' && !('enum' in only)) return { ...only, type: [only.type, 'null'] };
    }
    return { anyOf: isNullable ? [...parts, { type: 'null' }] : parts };
  }

  private objectSchema(schemas: Schemas, type: ts.Type): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const property of this.checker.getPropertiesOfType(type)) {
      const schema = this.schemaOf(schemas, this.checker.getTypeOfSymbol(property));
      const description = this.textOf(property);
      properties[property.name] =
        description === undefined
          ? schema
          : '$ref' in schema
            ? { allOf: [schema], description }
            : { ...schema, description };
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name);
    }
    return { type: 'object', properties, required };
  }

  private textOf(symbol: ts.Symbol): string | undefined {
    return (
      ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll(/\s*\n\s*/g, ' ') ||
      undefined
    );
  }

  private declared(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** `boolean` is a union of its two values to the compiler. */
function dedupe(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
