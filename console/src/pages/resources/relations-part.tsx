// The relations of a resource type: which types its instances may be related to. What other types are related to it is
// in the graph.
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestResources } from '../../api/suggestions.ts'
import type { Column } from '../../components/data-table.tsx'
import { FewTags } from '../../components/few-tags.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { TextLink } from '../../components/links.tsx'
import { NEW_RELATION } from './resource-fields.ts'
import type { Resource } from './resource-queries.ts'
import classes from './resources.module.css'
import { SchemaParts } from './schema-parts.tsx'
import { derivedText, makeGraph } from './type-graph.ts'

interface Row {
  readonly key: string
  readonly subject: string
  readonly description: string | null
  readonly gives: readonly string[]
}

export function RelationsPart({ resource }: { readonly resource: Resource }) {
  const path = useEnvironmentPath()
  const [subject, setSubject] = useState('')
  const [wasTried, setTried] = useState(false)
  const at = { ...path, resource: resource.key }
  const subject_resource = subject.trim()
  const rows = makeGraph([resource]).relations.map((relation): Row => {
    const { description } = resource.relations[relation.relation] ?? { description: null }
    const gives = relation.derived.map((each) => derivedText(relation, each))
    return { key: relation.relation, subject: relation.subject, description, gives }
  })
  return (
    <>
      <p className={classes.hint}>
        How instances of {resource.key} relate to other resources. Roles can be inherited through a relation.{' '}
        <TextLink
          underline="always"
          to="/$project/$environment/resources"
          params={{ project: path.p, environment: path.e }}
          search={{ tab: 'graph', around: resource.key }}
        >
          Show in graph
        </TextLink>
      </p>
      <SchemaParts
        kind="relation"
        label="Relations"
        removed="relation"
        of={resource.key}
        rows={rows}
        columns={COLUMNS}
        empty="A relation links instances, such as a document to its parent folder."
        newFields={NEW_RELATION}
        create={(body) =>
          api.POST('/v2/schema/{p}/{e}/resources/{resource}/relations', {
            params: { path: at },
            body: { ...body, subject_resource },
          })
        }
        remove={(ref) =>
          api.DELETE('/v2/schema/{p}/{e}/resources/{resource}/relations/{ref}', { params: { path: { ...at, ref } } })
        }
        more={{ subject_resource }}
        isIncomplete={subject_resource === ''}
        onTry={() => setTried(true)}
        below={
          <KeyField
            label="Source type"
            placeholder="folder"
            description={`Instances of this type have the relation to a ${resource.key}.`}
            value={subject}
            onChange={setSubject}
            error={wasTried && subject_resource === '' ? 'Source type is required' : undefined}
            suggest={(text) => suggestResources(path, text)}
          />
        }
      />
    </>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'Relation', width: '20%', cell: ({ key }) => key },
  {
    header: 'Source type',
    width: '20%',
    cell: ({ subject }) => (
      <TextLink
        to="/$project/$environment/resources/$resource"
        from="/$project/$environment/resources/$resource"
        params={{ resource: subject } as never}
      >
        {subject}
      </TextLink>
    ),
  },
  { header: 'Derived roles', cell: ({ gives }) => <FewTags keys={gives} />, isMinor: true },
  { header: 'Description', cell: ({ description }) => description, isMinor: true },
]
