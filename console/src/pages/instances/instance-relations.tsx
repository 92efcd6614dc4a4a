// What an instance is related to, as two trees: upwards what it has as a relation, from which roles may follow, and
// downwards what has it. Each level is read when it is opened.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isFromOthers } from '../../api/claims.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useWrite } from '../../api/write.ts'
import { Icon } from '../../components/icon.tsx'
import { notifyFailure } from '../../components/notify.ts'
import { useRemovalQuestion } from '../../components/removal-question.tsx'
import { Sources } from '../../components/sources.tsx'
import { ErrorState, LoadingState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { AddRelation } from './add-relation.tsx'
import { type Side, type Tuple, tuplesQuery } from './instance-queries.ts'
import classes from './instances.module.css'

const FROM = '/$project/$environment/instances/$instance'

interface InstanceRelationsProps {
  /** `type:key` */
  readonly instance: string
  readonly canWrite: boolean
}

export function InstanceRelations({ instance, canWrite }: InstanceRelationsProps) {
  return (
    <>
      {canWrite && <AddRelation instance={instance} />}
      <div className={classes.trees}>
        <section aria-label="Parents">
          <h2>Parents</h2>
          <p className={classes.hint}>What {instance} is related to. Roles on parents can give roles here.</p>
          <Level instance={instance} side="object" above={[instance]} canWrite={canWrite} />
        </section>
        <section aria-label="Children">
          <h2>Children</h2>
          <p className={classes.hint}>What is related to {instance}. Roles here can give roles on children.</p>
          <Level instance={instance} side="subject" above={[instance]} canWrite={canWrite} />
        </section>
      </div>
    </>
  )
}

interface LevelProps {
  readonly instance: string
  readonly side: Side
  /** the way from the root: what is on it is not opened again */
  readonly above: readonly string[]
  readonly canWrite: boolean
}

function Level({ instance, side, above, canWrite }: LevelProps) {
  const tuples = useInfiniteQuery(tuplesQuery(useEnvironmentPath(), instance, side))
  if (tuples.isPending) return <LoadingState rows={2} />
  if (tuples.data === undefined) return <ErrorState error={tuples.error} onRetry={() => void tuples.refetch()} />
  const rows = tuples.data.pages.flatMap(({ data }) => data)
  if (rows.length === 0) return <p className={classes.hint}>None.</p>
  return (
    <ul className={classes.tree}>
      {rows.map((tuple) => (
        <Node key={tuple.id} tuple={tuple} side={side} above={above} canWrite={canWrite} />
      ))}
      {tuples.hasNextPage && (
        <li>
          <Button
            variant="default"
            size="compact-xs"
            loading={tuples.isFetchingNextPage}
            onClick={() => void tuples.fetchNextPage()}
          >
            Show more of {tuples.data.pages[0]?.total_count}
          </Button>
        </li>
      )}
    </ul>
  )
}

interface NodeProps {
  readonly tuple: Tuple
  readonly side: Side
  readonly above: readonly string[]
  readonly canWrite: boolean
}

function Node({ tuple, side, above, canWrite }: NodeProps) {
  const path = useEnvironmentPath()
  const [isOpen, setOpen] = useState(false)
  const { subject, relation, object, claims } = tuple
  const { ask, question } = useRemovalQuestion()
  const other = side === 'object' ? subject : object
  const isRound = above.includes(other)
  const remove = useWrite({
    send: () =>
      api.DELETE('/v2/facts/{p}/{e}/relationship_tuples', { params: { path }, body: { subject, relation, object } }),
    done: () =>
      isFromOthers(claims)
        ? `Relation ${relation} between ${subject} and ${object} is no longer added by hand`
        : `${subject} is no longer ${relation} of ${object}`,
    onFail: (error) => notifyFailure("Couldn't remove the relation", error),
  })
  return (
    <li>
      <div className={classes.node}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isOpen}
          aria-label={`${side === 'object' ? 'Parents' : 'Children'} of ${other}`}
          disabled={isRound}
          onClick={() => setOpen((before) => !before)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        </UnstyledButton>
        <Tag>{relation}</Tag>
        <Anchor component={Link} to={FROM as never} from={FROM} params={{ instance: other } as never} size="sm">
          {other}
        </Anchor>
        <Sources claims={claims} />
        {isRound && <span className={classes.hint}>again</span>}
        {canWrite && (
          <UnstyledButton
            className={classes.remove}
            aria-label={`Remove relation ${relation} between ${subject} and ${object}`}
            title="Remove this relation"
            onClick={() =>
              ask({
                name: `Relation ${relation} between ${subject} and ${object}`,
                claims,
                remove: () => remove.mutate(undefined),
              })
            }
          >
            <Icon name="x" size={14} />
          </UnstyledButton>
        )}
      </div>
      {question}
      {isOpen && <Level instance={other} side={side} above={[...above, other]} canWrite={canWrite} />}
    </li>
  )
}
