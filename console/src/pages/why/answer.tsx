// The answer: allowed or not, as of when, and the explanation as a tree. A link to this page asks the same again.
import { Button, CopyButton, Text } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { AskForAccess } from './ask-for-access.tsx'
import type { Explanation } from './explanation-query.ts'
import { ExplanationTree } from './explanation-tree.tsx'
import { NounLink, Sentence } from './noun-link.tsx'
import { Requested } from './requested.tsx'
import { WayDrawings } from './way-drawing.tsx'
import { listWays } from './ways.ts'
import classes from './why-page.module.css'

export function Answer({ answer, isOld }: { readonly answer: Explanation; readonly isOld: boolean }) {
  const [isJson, setJson] = useState(false)
  const { allow, revision, revision_at, why } = answer
  const { type, key } = why.resource
  const asked = { user: why.user, type, resource: key === undefined ? type : `${type}:${key}` }
  return (
    <div className={classes.result} aria-busy={isOld}>
      <div className={classes.verdict} data-allow={allow}>
        <Icon name={allow ? 'circleCheck' : 'circleX'} size={20} />
        <div>
          <h2>{allow ? 'Allowed' : 'Denied'}</h2>
          <p>
            <Sentence text={why.tree.text} asked={asked} />
          </p>
          <Requested answer={answer} />
        </div>
      </div>
      {!allow && <AskForAccess answer={answer} />}
      <WayDrawings ways={listWays(answer)} />
      <ExplanationTree nodes={why.tree.children} asked={asked} />
      <div className={classes.foot}>
        <Text size="xs" c="dimmed">
          Tenant <NounLink noun={{ is: 'tenant', key: why.tenant }}>{why.tenant}</NounLink> · revision {revision} of{' '}
          <Instant value={revision_at} />
        </Text>
        <div className={classes.tools}>
          <CopyButton value={location.href}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                size="xs"
                leftSection={<Icon name={copied ? 'check' : 'link'} size={14} />}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy link'}
              </Button>
            )}
          </CopyButton>
          <Button variant="default" size="xs" aria-expanded={isJson} onClick={() => setJson((before) => !before)}>
            {isJson ? 'Hide JSON' : 'Show JSON'}
          </Button>
        </div>
      </div>
      {isJson && (
        <textarea
          className={classes.json}
          aria-label="The answer as JSON"
          value={JSON.stringify(answer, null, 2)}
          rows={18}
          readOnly
        />
      )}
    </div>
  )
}
