import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** Marks what is secret the way that forms understand, and shows no secret as a default. */
const markSecret = (schema: JsonSchema): void => {
  if (!('secret' in schema)) return;
  const secret = schema['secret'] === true;
  delete schema['secret'];
  if (!secret) return;
  schema['format'] = 'password';
  schema['writeOnly'] = true;
  if (schema['default'] !== '' && schema['default'] !== null) delete schema['default'];
};

/** The draft-07 schema of what a model takes, always with `definitions` (platform contract, registration). */
export const publishedSchema = (model: z.ZodType, { executable = false } = {}): object => {
  const { definitions = {}, ...schema } = z.toJSONSchema(model, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => markSecret(jsonSchema as JsonSchema),
  }) as JsonSchema;
  return { ...schema, definitions, ...(executable ? { is_executable: true } : {}) };
};
