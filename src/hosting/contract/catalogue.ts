import { getNextDownloadableBackup, listBackups } from './backups.ts';
import { clearCache } from './cache.ts';
import { optimizeImages } from './cdn.ts';
import { listDnsRecords, updateDnsRecord } from './dns.ts';
import { addDomain, getVerificationRecords, listDomains } from './domains.ts';
import type { About } from './endpoint.ts';
import { listFiles } from './files.ts';
import { getLogs } from './logs.ts';
import { getOperation, listSites, makeBackup, restartPhp, validateKey } from './operations.ts';
import { listRedirects, updateRedirects } from './redirects.ts';
import { cloneSite, deleteEnvironment, pushEnvironment } from './sites.ts';
import { getAllowedIps, setAllowedIps, setPasswordAccess, setPasswordExpiration } from './ssh.ts';
import { listCompanyThemes, listEnvironmentThemes, updateThemes } from './themes.ts';

/** All endpoints in the order of the document; those beyond it (`optional`) come last. */
export const catalogue: readonly About[] = [
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
  makeBackup,
];
