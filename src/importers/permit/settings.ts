// What of a project and an environment decides beside their objects.
import type { Finding } from '../frame/importer.ts'
import type { Answered, PermitApi } from './api.ts'
import { isSaid } from './known-fields.ts'

const DECIDES: Readonly<Record<string, string>> = {
  active_policy_repo_id:
    'a policy of its own, from a repository, decides as well, and can deny what roles and rules give',
  custom_branch_name: 'a policy of its own, from a branch of a repository, may decide as well',
  avp_policy_store_id: 'policies of another store may decide as well',
  settings: 'settings can change what is decided, and none are known here',
}
const NEAREST = 'compare what it says with what was written, and ask the questions that it is about'

export async function findSettings(api: PermitApi, project: string, environment: string): Promise<Finding[]> {
  const at = `/v2/projects/${encodeURIComponent(project)}`
  const findings: Finding[] = []
  for (const [what, path] of [
    ['project', at],
    ['environment', `${at}/envs/${encodeURIComponent(environment)}`],
  ] as const) {
    const object = ((await api.find(path)) ?? { hidden: true }) as Answered
    if (object.hidden === true)
      findings.push({
        ...{ kind: 'note', file: path, line: 1, what, nearest: NEAREST },
        reason: 'the key may not read it, so it is not known whether a policy of its own decides as well',
      })
    for (const [name, reason] of Object.entries(DECIDES))
      if (isSaid(object[name]))
        findings.push({
          ...{ kind: 'unsaid', file: path, line: 1, nearest: NEAREST, reason },
          what: `${what} ${name}: ${JSON.stringify(object[name]).slice(0, 60)}`,
        })
  }
  return findings
}
