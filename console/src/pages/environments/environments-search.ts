// The addresses of the pages that compare and copy environments. Environments are named as on the command line: by
// their key, those of other projects as `project/environment`.
import type { EnvironmentPath } from '../../api/environments.ts'
import { textIn } from '../../components/search-params.ts'

export interface CompareSearch {
  /** `environment` of the open project, or `project/environment` */
  readonly with?: string
  /** a revision or an instant of that environment; as it is now when absent */
  readonly at?: string
}

export interface CopySearch {
  /** key of the target, in the open project */
  readonly to?: string
  /** the target shall be made */
  readonly new?: true
  /** what the target has already is overwritten; without it the copy is refused then */
  readonly overwrite?: true
  /** also the roles that tenants made */
  readonly tenantRoles?: true
}

/** Reads the choices from an address; anything else is left out. */
export function parseCopySearch(search: Record<string, unknown>): CopySearch {
  return {
    ...textIn(search, 'to'),
    ...(search.new === true ? { new: true } : {}),
    ...(search.overwrite === true ? { overwrite: true } : {}),
    ...(search.tenantRoles === true ? { tenantRoles: true } : {}),
  }
}

/** Where an environment is that was named beside the open one; undefined for a text that names none. */
export function parseEnvironmentPath(name: string, open: EnvironmentPath): EnvironmentPath | undefined {
  const [first = '', second, ...rest] = name.trim().split('/')
  if (rest.length > 0 || first === '' || second === '') return undefined
  return second === undefined ? { p: open.p, e: first } : { p: first, e: second }
}

/** How an environment is named beside the open one. */
export const nameBeside = ({ p, e }: EnvironmentPath, open: EnvironmentPath): string => (p === open.p ? e : `${p}/${e}`)
