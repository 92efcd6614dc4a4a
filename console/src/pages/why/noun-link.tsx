// A link to what an explanation names.
import { useEnvironmentPath } from '../../api/environments.ts'
import { TextWithInstants } from '../../components/instant.tsx'
import { TextLink } from '../../components/links.tsx'
import { type Asked, type Noun, parseSegments } from './nouns.ts'

const AT = '/$project/$environment'

export function NounLink({ noun, children }: { readonly noun: Noun; readonly children: string }) {
  const { p, e } = useEnvironmentPath()
  const place = { project: p, environment: e }
  switch (noun.is) {
    case 'user':
      return (
        <TextLink to={`${AT}/users/$user`} params={{ ...place, user: noun.key }}>
          {children}
        </TextLink>
      )
    case 'tenant':
      return (
        <TextLink to={`${AT}/tenants/$tenant`} params={{ ...place, tenant: noun.key }}>
          {children}
        </TextLink>
      )
    case 'role':
      return (
        <TextLink to={`${AT}/policy`} params={place} search={{ role: noun.key }}>
          {children}
        </TextLink>
      )
    case 'set':
      return (
        <TextLink to={`${AT}/conditions/$set`} params={{ ...place, set: noun.key }}>
          {children}
        </TextLink>
      )
    case 'type':
      return (
        <TextLink to={`${AT}/resources/$resource`} params={{ ...place, resource: noun.key }}>
          {children}
        </TextLink>
      )
    case 'part':
      return (
        <TextLink
          to={`${AT}/resources/$resource`}
          params={{ ...place, resource: noun.key }}
          search={{ tab: noun.tab } as never}
        >
          {children}
        </TextLink>
      )
    case 'instance':
      return (
        <TextLink to={`${AT}/instances/$instance`} params={{ ...place, instance: noun.key }}>
          {children}
        </TextLink>
      )
    case 'attribute':
      return <AttributeLink of={noun.of}>{children}</AttributeLink>
  }
}

/** Attributes are among the details of what has them. */
function AttributeLink({ of, children }: { readonly of: Noun; readonly children: string }) {
  const { p, e } = useEnvironmentPath()
  const place = { project: p, environment: e }
  const search = { tab: 'details' } as never
  if (of.is === 'user')
    return (
      <TextLink to={`${AT}/users/$user`} params={{ ...place, user: of.key }} search={search}>
        {children}
      </TextLink>
    )
  if (of.is === 'instance')
    return (
      <TextLink to={`${AT}/instances/$instance`} params={{ ...place, instance: of.key }} search={search}>
        {children}
      </TextLink>
    )
  return <NounLink noun={of}>{children}</NounLink>
}

/** A sentence whose nouns are links, with instants in the time zone of the reader. */
export function Sentence({ text, asked }: { readonly text: string; readonly asked: Asked }) {
  return parseSegments(text, asked).map(({ text: part, noun, at }) =>
    noun === undefined ? (
      <TextWithInstants key={at} text={part} />
    ) : (
      <NounLink key={at} noun={noun}>
        {part}
      </NounLink>
    ),
  )
}
