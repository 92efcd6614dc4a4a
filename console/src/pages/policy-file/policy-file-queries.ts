// What the page Policy file asks the API: files are read and planned by the server, and applied as they were planned.
import { queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import type { PickedFile } from './picked-files.ts'

export type Checked = components['schemas']['CheckedPolicy']
export type Plan = components['schemas']['Plan']
export type Policy = NonNullable<Checked['policy']>

export interface PickedFiles {
  /** of these very texts, in the place of the texts themselves, which are large */
  readonly id: number
  readonly files: readonly PickedFile[]
}

/** What is applied, apart from the policy. */
export interface Choices {
  readonly prune: boolean
  readonly cascade: boolean
}

/** What is wrong with the files, or the policy that they are. */
export const checkQuery = (path: EnvironmentPath, { id, files }: PickedFiles, prune: boolean) =>
  queryOptions({
    queryKey: ['policy files', path.p, path.e, id, prune],
    enabled: files.length > 0,
    queryFn: ({ signal }) =>
      read(
        api.POST('/v2/projects/{p}/envs/{e}/validate', {
          params: { path },
          body: { files: [...files], prune },
          signal,
        }),
      ),
  })

/** What applying the policy would do now. */
export const filePlanQuery = (path: EnvironmentPath, id: number, policy: Policy, prune: boolean) =>
  queryOptions({
    queryKey: ['policy file plan', path.p, path.e, id, prune],
    queryFn: ({ signal }) =>
      read(
        api.POST('/v2/projects/{p}/envs/{e}/plan', {
          params: { path },
          body: { policy, prune },
          signal,
        }),
      ),
    staleTime: 0,
  })

/** Applies just what was planned, as one revision; refused when something else would change by now. */
export const applyFiles = (
  path: EnvironmentPath,
  policy: Policy,
  { fingerprints, policy: pairs, access }: Plan,
  choices: Choices,
) =>
  api.POST('/v2/projects/{p}/envs/{e}/apply', {
    params: { path },
    body: { policy, ...choices, fingerprints, expected: { policy: pairs, access } },
  })

/** An environment as the text of a policy file. @param at a revision or an instant; empty for the present */
export async function exported(path: EnvironmentPath, facts: boolean, at: string): Promise<string> {
  const query = { facts, ...(at === '' ? {} : { at }) }
  const policy = await read(api.GET('/v2/projects/{p}/envs/{e}/export', { params: { path, query } }))
  return `${JSON.stringify(policy, null, 2)}\n`
}
