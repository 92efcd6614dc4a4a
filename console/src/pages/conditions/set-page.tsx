// One condition set: its conditions as a builder and as JSON, whom or what they match, the rules that use it.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { TextLink } from '../../components/links.tsx'
import { MissingObject } from '../../components/missing-object.tsx'
import { Page } from '../../components/page.tsx'
import { PlanDialog } from '../../components/plan-dialog.tsx'
import { attributeTypesQuery, setQuery } from './condition-queries.ts'
import { SetEditor } from './set-editor.tsx'
import { SetRules } from './set-rules.tsx'
import { subjectText } from './set-words.ts'

const FROM = '/$project/$environment/conditions/$set'
const LIST = '/$project/$environment/conditions'

export function SetPage() {
  const path = useEnvironmentPath()
  const { set: key } = useParams({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write', 'policy')
  const [isDeleting, setDeleting] = useState(false)
  const set = useQuery(setQuery(path, key))
  const types = useQuery(attributeTypesQuery(path))
  const name = set.data?.name === key ? undefined : set.data?.name
  return (
    <Page
      key={key}
      title={key}
      help="Conditions"
      parent={
        <TextLink to={LIST} from={FROM} size="sm">
          Conditions
        </TextLink>
      }
      description={set.data && [name, subjectText(set.data), set.data.description].filter(Boolean).join(' · ')}
      actions={
        canWrite &&
        set.data !== undefined && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
      isWide
    >
      <MissingObject query={set} kind="condition set" name={key} list={{ to: LIST, label: 'All condition sets' }}>
        {(found) => (
          <>
            <SetEditor
              key={key}
              stored={found}
              readAgain={async () => (await set.refetch()).data?.updated_at}
              types={{
                user: types.data?.user ?? {},
                tenant: types.data?.tenant ?? {},
                resource: Object.fromEntries(
                  Object.entries(found.resource?.attributes ?? {}).map(([name, { type }]) => [name, type]),
                ),
              }}
              canWrite={canWrite}
            />
            <SetRules set={found} canWrite={canWrite} />
          </>
        )}
      </MissingObject>
      {isDeleting && (
        <PlanDialog
          title={`Delete ${key}?`}
          action="Delete condition set"
          isDanger
          changes={[{ op: 'delete', kind: 'condition_set', key }]}
          done={`Condition set ${key} deleted`}
          onDone={() => void navigate({ to: LIST, replace: true })}
          onClose={() => setDeleting(false)}
        >
          <p>Set rules that use it will also be deleted. Sets that extend it must be changed first.</p>
        </PlanDialog>
      )}
    </Page>
  )
}
