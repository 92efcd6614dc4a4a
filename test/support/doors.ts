// Every door that answers who may do what, in one list: the laws and the conformance cases run over it. A door that is
// added here is in all of them.
import { ACCESS_DOORS } from './doors/access.ts'
import type { Door } from './doors/door.ts'
import { HTTP_DOORS } from './doors/http.ts'
import { LIBRARY_DOORS } from './doors/library.ts'
import { ROW_DOORS } from './doors/rows.ts'

export { Asked } from './doors/asked.ts'
export { Desk } from './doors/desk.ts'
export * from './doors/door.ts'

/** Those that need nothing but an image and its servers; databases.ts beside them has those that need a database. */
export const DOORS: readonly Door[] = [...LIBRARY_DOORS, ...HTTP_DOORS, ...ROW_DOORS, ...ACCESS_DOORS]
