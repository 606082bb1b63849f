import packageJson from '../../package.json' with { type: 'json' }

/** How the connector names itself to the gateway, in place of the SDK that it calls with. */
export const OWN_NAME = { 'user-agent': `wigwag-mcp/${packageJson.version} node/${process.versions.node}` }
