// The answer to a question, with its explanation. It is asked of the management API, which also knows the past.
import { queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'

export type Explanation = components['schemas']['PastExplanation']

export const explanationQuery = (path: EnvironmentPath, question: components['schemas']['PastQuestion'] | undefined) =>
  queryOptions({
    queryKey: ['explanation', path.p, path.e, question],
    queryFn: ({ signal }) =>
      read(api.POST('/v2/projects/{p}/envs/{e}/explain', { params: { path }, body: question!, signal })),
    staleTime: 0,
  })
