// The graph of types, relations and derivations, and beside it the same as a list, for who does not see it or would
// rather read.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useMemo } from 'react'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { suggestResources } from '../../api/suggestions.ts'
import { FilterField } from '../../components/filter-field.tsx'
import { lazyPart } from '../../components/lazy-part.ts'
import { TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { LongList } from '../../components/long-list.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import { allResourcesQuery } from './resource-queries.ts'
import classes from './resources.module.css'
import {
  derivedText,
  type GraphRelation,
  makeGraph,
  RELATIONS_MAX,
  type ShownGraph,
  shownPart,
  type TypeGraph,
} from './type-graph.ts'

const FROM = '/$project/$environment/resources'

const drawing = lazyPart(async () => {
  const { ResourceGraph: graph } = await import('./graph/resource-graph.tsx')
  return { default: graph }
})

interface TypesGraphProps {
  readonly around: string | undefined
  /** in its place when there are no types */
  readonly empty: ReactNode
}

export function TypesGraph({ around, empty }: TypesGraphProps) {
  const path = useEnvironmentPath()
  const graph = useQuery({ ...allResourcesQuery(path), select: makeGraph })
  return (
    <QueryState query={graph}>
      {(whole) => (whole.types.length === 0 ? empty : <Shown path={path} whole={whole} around={around} />)}
    </QueryState>
  )
}

interface ShownProps {
  readonly path: EnvironmentPath
  readonly whole: TypeGraph
  readonly around: string | undefined
}

function Shown({ path, whole, around }: ShownProps) {
  const navigate = useNavigate({ from: FROM })
  const shown = useMemo(() => shownPart(whole, around), [whole, around])
  return (
    <>
      <div className={bar.bar}>
        <FilterField
          label="Around a type"
          value={around ?? ''}
          suggest={(text) => suggestResources(path, text)}
          onChange={(key) =>
            void navigate({ search: { tab: 'graph', ...(key === '' ? {} : { around: key }) }, replace: true })
          }
        />
      </div>
      <p role="status" className={classes.hint}>
        {shownText(shown, whole, around)} Arrows are relations. Thick arrows pass on roles.
      </p>
      <div className={classes.graph}>
        <Suspense fallback={<LoadingState label="Loading the graph" />}>
          <drawing.Part graph={shown} around={around} />
        </Suspense>
        <RelationList shown={shown} path={path} />
      </div>
    </>
  )
}

const number = new Intl.NumberFormat()

function shownText({ types, moreTypes, moreRelations }: ShownGraph, whole: TypeGraph, around: string | undefined) {
  if (around !== undefined && !whole.types.some(({ key }) => key === around))
    return `No type ${around}. All types are shown.`
  const of =
    moreTypes === 0 ? `All ${number.format(types.length)} types` : `${types.length} of ${whole.types.length} types`
  const left = moreRelations === 0 ? '' : ` and the first ${RELATIONS_MAX} relations between them`
  if (around !== undefined) return `${of}${left}: related to ${around}, nearest first.`
  return `${of}${left}.${moreTypes > 0 ? ' Choose a type to see its relations.' : ''}`
}

interface RelationListProps {
  readonly shown: ShownGraph
  readonly path: EnvironmentPath
}

function RelationList({ shown: { types, relations }, path }: RelationListProps) {
  const related = new Set(relations.flatMap(({ subject, object }) => [subject, object]))
  const alone = types.filter(({ key }) => !related.has(key))
  const link = (resource: string) => (
    <TextLink
      underline="always"
      to="/$project/$environment/resources/$resource"
      params={{ project: path.p, environment: path.e, resource }}
    >
      {resource}
    </TextLink>
  )
  return (
    <section aria-label="List of relations" className={classes.list}>
      <h2>Relations</h2>
      {relations.length === 0 && <p className={classes.hint}>No relations yet.</p>}
      <LongList label="Relations" items={relations} itemKey={({ id }) => id} className={classes.relations}>
        {(relation) => (
          <>
            {link(relation.subject)} is <strong>{relation.relation}</strong> of {link(relation.object)}
            <Derivations relation={relation} />
          </>
        )}
      </LongList>
      {alone.length > 0 && (
        <>
          <h2>Without relations</h2>
          <LongList
            label="Types without relations"
            items={alone}
            itemKey={({ key }) => key}
            className={classes.relations}
          >
            {({ key }) => link(key)}
          </LongList>
        </>
      )}
    </section>
  )
}

function Derivations({ relation }: { readonly relation: GraphRelation }) {
  if (relation.derived.length === 0) return null
  return (
    <ul>
      {relation.derived.map((each) => (
        <li key={`${each.from} ${each.to}`}>{derivedText(relation, each)}</li>
      ))}
    </ul>
  )
}
