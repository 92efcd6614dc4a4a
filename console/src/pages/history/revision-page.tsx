// One revision: what it changed, field by field, and who gained and lost access by it. The changes come first; the
// access takes the state before and after, and follows when it is there.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { NO_ACCESS_CHANGED, NOTHING_CHANGED, othersText, whoText } from 'zerohop/change-words'
import { historySentence } from 'zerohop/history-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { ChangeList } from '../../components/change-list.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import classes from './history.module.css'
import { type Revision, revisionQuery } from './history-queries.ts'

export function RevisionPage() {
  const path = useEnvironmentPath()
  const { revision } = useParams({ from: '/$project/$environment/history/$revision' })
  const changes = useQuery(revisionQuery(path, revision, false))
  const { data } = changes
  return (
    <Page
      title={`Revision ${revision}`}
      description={data && <Head revision={data} />}
      actions={<Actions revision={revision} isThere={data !== undefined} />}
    >
      <QueryState query={changes}>
        {(shown) => (
          <div className={classes.sections}>
            <section>
              <h2>Changes</h2>
              {shown.changes.length === 0 ? (
                <p className={classes.note}>{shown.others > 0 ? othersText(shown.others) : NOTHING_CHANGED}</p>
              ) : (
                <>
                  <ChangeList label="Changes" changes={shown.changes} />
                  {shown.others > 0 && <p className={classes.note}>{othersText(shown.others)}</p>}
                </>
              )}
            </section>
            <section>
              <h2>Access</h2>
              <Access revision={revision} />
            </section>
            {shown.summary === null && shown.method !== null && shown.path !== null && (
              <p className={classes.request}>
                Request: {shown.method} {shown.path}
              </p>
            )}
          </div>
        )}
      </QueryState>
    </Page>
  )
}

function Head({ revision }: { readonly revision: Revision }) {
  const { actor_id, actor_display_name, at, operation, summary, changes } = revision
  const written = changes.flatMap(({ op, kind, key }) => (op === 'move' ? [] : [{ op, kind, key }]))
  const { title } = historySentence({ operation, summary, changed: { objects: written, count: changes.length } })
  return (
    <>
      {title}, by {whoText(actor_id, actor_display_name)}, <Instant value={at} />
      {revision.reason !== null && `. Reason: ${revision.reason}`}
      {revision.ticket !== null && `. Ticket: ${revision.ticket}`}
    </>
  )
}

function Access({ revision }: { readonly revision: string }) {
  const path = useEnvironmentPath()
  const query = useQuery(revisionQuery(path, revision, true))
  return (
    <QueryState query={query} loading={<LoadingState rows={2} label="Comparing access before and after" />}>
      {({ policy, access }) =>
        policy === undefined || access === undefined ? null : (
          <AccessDiff diff={{ policy, access }} nothing={NO_ACCESS_CHANGED} whyAt={Number(revision)} />
        )
      }
    </QueryState>
  )
}

function Actions({ revision, isThere }: { readonly revision: string; readonly isThere: boolean }) {
  const path = useEnvironmentPath()
  const mayWrite = useMay('write')
  const params = { project: path.p, environment: path.e }
  return (
    <>
      <ButtonLink to="/$project/$environment/history" params={params}>
        All revisions
      </ButtonLink>
      {isThere && (
        <ButtonLink
          to="/$project/$environment/why"
          params={params}
          search={{ at: revision }}
          leftSection={<Icon name="searchCheck" size={14} />}
        >
          Check access at this revision
        </ButtonLink>
      )}
      {mayWrite && isThere && (
        <ButtonLink
          to="/$project/$environment/history/$revision/revert"
          params={{ ...params, revision }}
          leftSection={<Icon name="undo2" size={14} />}
        >
          Revert…
        </ButtonLink>
      )}
    </>
  )
}
