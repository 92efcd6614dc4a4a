// A JSON Schema as a predicate, compiled as the servers compile theirs.
import { AjvCompiler } from '@fastify/ajv-compiler'

const STRICT = { strict: false, coerceTypes: false, removeAdditional: false, useDefaults: false }

export const compileSchema = (schema: object): ((value: unknown) => boolean) =>
  AjvCompiler()({}, { customOptions: STRICT } as never)({ schema } as never) as unknown as (value: unknown) => boolean
