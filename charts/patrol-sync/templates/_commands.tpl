{{/* One option: nothing when its value is empty or false, the option alone when it is true, several of them for a list. */}}
{{- define "patrol-sync.option" -}}
{{- $option := index . 0 -}}
{{- $value := index . 1 -}}
{{- range kindIs "slice" $value | ternary $value (list $value) }}
{{- $text := ternary "" (include "patrol-sync.text" .) (kindIs "invalid" .) }}
{{- if eq $text "true" }}
- {{ $option }}
{{- else if not (has $text (list "" "false")) }}
- {{ printf "%s=%s" $option $text | toJson }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Connection to the site. */}}
{{- define "patrol-sync.siteOptions" -}}
{{- include "patrol-sync.option" (list "--site-endpoint" .Values.site.endpoint) }}
- --site-token-file=/etc/patrol-sync/token
{{- if .Values.site.ca }}
- --ca-file=/etc/patrol-sync/ca.pem
{{- end }}
{{- include "patrol-sync.option" (list "--patience" .Values.options.patience) }}
{{- include "patrol-sync.option" (list "--output" .Values.options.output) }}
{{- end -}}

{{/* How the bundle is applied, for a run and for its verification. */}}
{{- define "patrol-sync.bundleOptions" -}}
{{- include "patrol-sync.option" (list "--bundle" (list "/bundle" .Values.bundle.claim.path | compact | join "/")) }}
{{- include "patrol-sync.option" (list "--ext-language" .Values.options.extLanguage) }}
{{- include "patrol-sync.option" (list "--ext-word" .Values.options.extWord) }}
{{- include "patrol-sync.option" (list "--timezone" .Values.options.timezone) }}
{{- include "patrol-sync.option" (list "--roster-group" .Values.options.rosterGroup) }}
{{- include "patrol-sync.option" (list "--subject-name-suffix" .Values.options.subjectNameSuffix) }}
{{- end -}}

{{/* Limits of what a run writes. */}}
{{- define "patrol-sync.limitOptions" -}}
{{- include "patrol-sync.option" (list "--max-deactivations" .Values.options.maxDeactivations) }}
{{- include "patrol-sync.option" (list "--recreate-missing" .Values.options.recreateMissing) }}
{{- end -}}

{{- define "patrol-sync.undoOptions" -}}
{{- include "patrol-sync.option" (list "--approved" .Values.options.approved) }}
{{- include "patrol-sync.option" (list "--ext-word" .Values.options.extWord) }}
{{- include "patrol-sync.option" (list "--delete-subjects" .Values.options.deleteSubjects) }}
{{- include "patrol-sync.option" (list "--force" .Values.options.force) }}
{{- end -}}

{{/*
The CronJobs: the end of each name, what a Job made of it does, its arguments, and the volumes it mounts. A volume "output" is read-only unless
the command writes to it.
*/}}
{{- define "patrol-sync.commands" -}}
{{- $output := list "/output" .Values.output.folder | compact | join "/" -}}
{{- $checklist := printf "%s/%s" $output .Values.output.checklist -}}
{{- $plan := printf "%s/%s" $output .Values.output.plan -}}
- suffix: ''
  command: patrol-datamodel
  about: creates and updates what the import of patrols needs on the site
  volumes: [site, bundle, output]
  writes: true
  args:
    - patrol-datamodel
    {{- include "patrol-sync.bundleOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--replace-segment-schema" .Values.options.replaceSegmentSchema) | indent 4 }}
    {{- include "patrol-sync.limitOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--checklist" $checklist) | indent 4 }}
    {{- include "patrol-sync.option" (list "--force-unlock" .Values.options.forceUnlock) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
- suffix: -plan
  command: patrol-datamodel
  about: shows every write of patrol-sync, and writes nothing to the site
  volumes: [site, bundle, output]
  writes: true
  args:
    - --dry-run
    - patrol-datamodel
    {{- include "patrol-sync.bundleOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--replace-segment-schema" .Values.options.replaceSegmentSchema) | indent 4 }}
    {{- include "patrol-sync.limitOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--checklist" (printf "%s/plan-%s" $output .Values.output.checklist)) | indent 4 }}
    {{- include "patrol-sync.option" (list "--plan-out" $plan) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
- suffix: -apply
  command: apply
  about: applies exactly the plan of the last patrol-sync-plan
  volumes: [site, output]
  writes: true
  args:
    - apply
    {{- include "patrol-sync.option" (list "--plan" $plan) | indent 4 }}
    {{- include "patrol-sync.option" (list "--approved" .Values.options.approved) | indent 4 }}
    {{- include "patrol-sync.limitOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--checklist" $checklist) | indent 4 }}
    {{- include "patrol-sync.option" (list "--force-unlock" .Values.options.forceUnlock) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
- suffix: -resume
  command: resume
  about: finishes the newest run, if it was interrupted or failed
  volumes: [site, bundle, output]
  writes: true
  args:
    - resume
    {{- include "patrol-sync.option" (list "--approved" .Values.options.approved) | indent 4 }}
    {{- include "patrol-sync.option" (list "--bundle" (list "/bundle" .Values.bundle.claim.path | compact | join "/")) | indent 4 }}
    {{- include "patrol-sync.limitOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--checklist" $checklist) | indent 4 }}
    {{- include "patrol-sync.option" (list "--force-unlock" .Values.options.forceUnlock) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
    - {{ list $output .Values.resume.record | compact | join "/" | toJson }}
- suffix: -verify
  command: verify
  about: checks that the site has everything, and ticks the checklist
  volumes: [site, bundle, output]
  writes: true
  args:
    - verify
    {{- include "patrol-sync.bundleOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--checklist" $checklist) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
- suffix: -undo
  command: undo
  about: undoes the newest run
  volumes: [site, output]
  writes: true
  args:
    - undo
    {{- include "patrol-sync.undoOptions" . | indent 4 }}
    {{- include "patrol-sync.option" (list "--force-unlock" .Values.options.forceUnlock) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
    {{- range .Values.undo.records | default (list "") }}
    - {{ list $output . | compact | join "/" | toJson }}
    {{- end }}
- suffix: -undo-plan
  command: undo
  about: shows what patrol-sync-undo would do, and changes nothing
  volumes: [site, output]
  args:
    - --dry-run
    - undo
    {{- include "patrol-sync.undoOptions" . | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
    {{- range .Values.undo.records | default (list "") }}
    - {{ list $output . | compact | join "/" | toJson }}
    {{- end }}
- suffix: -doctor
  command: doctor
  about: checks whether a run would work, and writes nothing
  volumes: [site]
  args:
    - doctor
    {{- include "patrol-sync.option" (list "--roster-group" .Values.options.rosterGroup) | indent 4 }}
    {{- include "patrol-sync.siteOptions" . | indent 4 }}
- suffix: -show
  command: files-print
  about: prints the checklist into the log of its Job
  volumes: [output]
  args: [files, print, {{ toJson $output }}, {{ .Values.output.show | default .Values.output.checklist | toJson }}]
- suffix: -files
  command: files-pack
  about: prints all files of the volume into the log of its Job, as tar.gz in base64
  volumes: [output]
  args: [files, pack, {{ toJson $output }}]
{{- end -}}
