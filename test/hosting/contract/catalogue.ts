import { getNextDownloadableBackup, listBackups } from '../../../src/hosting/contract/backups.ts';
import { clearCache } from '../../../src/hosting/contract/cache.ts';
import { optimizeImages } from '../../../src/hosting/contract/cdn.ts';
import { listDnsRecords, updateDnsRecord } from '../../../src/hosting/contract/dns.ts';
import { addDomain, getVerificationRecords, listDomains } from '../../../src/hosting/contract/domains.ts';
import type { EndpointInfo } from '../../../src/hosting/contract/endpoint.ts';
import { listFiles } from '../../../src/hosting/contract/files.ts';
import { getLogs } from '../../../src/hosting/contract/logs.ts';
import { getOperation, listSites, restartPhp, validateKey } from '../../../src/hosting/contract/operations.ts';
import { listRedirects, updateRedirects } from '../../../src/hosting/contract/redirects.ts';
import { cloneSite, deleteEnvironment, pushEnvironment } from '../../../src/hosting/contract/sites.ts';
import {
  getAllowedIps,
  setAllowedIps,
  setPasswordAccess,
  setPasswordExpiration,
} from '../../../src/hosting/contract/ssh.ts';
import {
  listCompanyThemes,
  listEnvironmentThemes,
  listEnvironmentWpThemes,
  updateThemes,
} from '../../../src/hosting/contract/themes.ts';

/** All endpoints in the order of the document; those beyond it (`optional`) come last. */
export const catalogue: readonly EndpointInfo[] = [
  listCompanyThemes,
  listRedirects,
  updateRedirects,
  addDomain,
  getVerificationRecords,
  updateDnsRecord,
  listDnsRecords,
  listDomains,
  cloneSite,
  pushEnvironment,
  deleteEnvironment,
  optimizeImages,
  clearCache,
  updateThemes,
  listEnvironmentThemes,
  setPasswordExpiration,
  setAllowedIps,
  getAllowedIps,
  setPasswordAccess,
  getLogs,
  listFiles,
  getNextDownloadableBackup,
  listBackups,
  getOperation,
  listSites,
  validateKey,
  restartPhp,
  listEnvironmentWpThemes,
];
