// The JSON Schema of sync files, for editors, made from the very schema that `zerohop sync` compares them with. Written
// when the project is built (scripts/build-dist.mjs); no command loads it.
import { makeJsonSchema } from '../http/policy-json-schema.ts'
import { SyncFile } from '../sync/file/sync-file.ts'

export const syncJsonSchema = (): object => makeJsonSchema(SyncFile, 'Sync file of Zerohop')
