{{/*
The CronJobs: the end of each name, what a Job made of it does, the volumes it mounts, and its arguments: words, options, and files of the output
folder. A volume "output" is read-only unless the command writes to it.
*/}}
{{- define "patrol-sync.commands" -}}
{{- $output := include "patrol-sync.output" . -}}
{{- $site := "site-endpoint site-token-file ca-file patience output" -}}
{{- $bundle := "bundle ext-language ext-word timezone roster-group subject-name-suffix" -}}
{{- $limits := "max-deactivations recreate-missing" -}}
{{- $undo := "approved ext-word delete-subjects force" -}}
{{- $records := .Values.undo.records | default (list "") | toJson -}}
- suffix: ''
  command: patrol-datamodel
  about: creates and updates what the import of patrols needs on the site
  volumes: [site, bundle, output]
  writes: true
  words: [patrol-datamodel]
  options: {{ $bundle }} replace-segment-schema {{ $limits }} checklist force-unlock {{ $site }}
- suffix: -plan
  command: patrol-datamodel
  about: shows every write of patrol-sync, and writes nothing to the site
  volumes: [site, bundle, output]
  writes: true
  words: [--dry-run, patrol-datamodel]
  options: {{ $bundle }} replace-segment-schema {{ $limits }} checklist plan-out {{ $site }}
- suffix: -apply
  command: apply
  about: applies exactly the plan of the last patrol-sync-plan
  volumes: [site, output]
  writes: true
  words: [apply]
  options: plan approved {{ $limits }} checklist force-unlock {{ $site }}
- suffix: -resume
  command: resume
  about: finishes the newest run, if it was interrupted or failed
  volumes: [site, bundle, output]
  writes: true
  words: [resume]
  options: approved bundle {{ $limits }} checklist force-unlock {{ $site }}
  files: [{{ .Values.resume.record | toJson }}]
- suffix: -verify
  command: verify
  about: checks that the site has everything, and ticks the checklist
  volumes: [site, bundle, output]
  writes: true
  words: [verify]
  options: {{ $bundle }} checklist {{ $site }}
- suffix: -undo
  command: undo
  about: undoes the newest run
  volumes: [site, output]
  writes: true
  words: [undo]
  options: {{ $undo }} force-unlock {{ $site }}
  files: {{ $records }}
- suffix: -undo-plan
  command: undo
  about: shows what patrol-sync-undo would do, and changes nothing
  volumes: [site, output]
  words: [--dry-run, undo]
  options: {{ $undo }} {{ $site }}
  files: {{ $records }}
- suffix: -doctor
  command: doctor
  about: checks whether a run would work, and writes nothing
  volumes: [site]
  words: [doctor]
  options: roster-group {{ $site }}
- suffix: -show
  command: files-print
  about: prints the checklist into the log of its Job
  volumes: [output]
  words: [files, print, {{ toJson $output }}, {{ .Values.output.show | default .Values.output.checklist | toJson }}]
- suffix: -files
  command: files-pack
  about: prints all files of the volume into the log of its Job, as tar.gz in base64
  volumes: [output]
  words: [files, pack, {{ toJson $output }}]
{{- end -}}

{{/* Folder of checklists, plans and run records. */}}
{{- define "patrol-sync.output" -}}
{{- list "/output" .Values.output.folder | compact | join "/" -}}
{{- end -}}

{{/*
Arguments of a command, as a JSON list: context, command. An option is left out when its value is empty or false, has no value when that is true,
and is given several times for a list.
*/}}
{{- define "patrol-sync.arguments" -}}
{{- $command := index . 1 -}}
{{- $arguments := $command.words -}}
{{- with index . 0 -}}
{{- $output := include "patrol-sync.output" . -}}
{{- $values := dict
  "approved" .Values.options.approved
  "bundle" (list "/bundle" .Values.bundle.claim.path | compact | join "/")
  "ca-file" (ternary "/etc/patrol-sync/ca.pem" "" (not (empty .Values.site.ca)))
  "checklist" (printf "%s/%s%s" $output (ternary "plan-" "" (eq $command.suffix "-plan")) .Values.output.checklist)
  "delete-subjects" .Values.options.deleteSubjects
  "ext-language" .Values.options.extLanguage
  "ext-word" .Values.options.extWord
  "force" .Values.options.force
  "force-unlock" .Values.options.forceUnlock
  "max-deactivations" .Values.options.maxDeactivations
  "output" .Values.options.output
  "patience" .Values.options.patience
  "plan" (printf "%s/%s" $output .Values.output.plan)
  "plan-out" (printf "%s/%s" $output .Values.output.plan)
  "recreate-missing" .Values.options.recreateMissing
  "replace-segment-schema" .Values.options.replaceSegmentSchema
  "roster-group" .Values.options.rosterGroup
  "site-endpoint" .Values.site.endpoint
  "site-token-file" "/etc/patrol-sync/token"
  "subject-name-suffix" .Values.options.subjectNameSuffix
  "timezone" .Values.options.timezone -}}
{{- range $option := $command.options | default "" | splitList " " -}}
{{- $value := get $values $option -}}
{{- range kindIs "slice" $value | ternary $value (list $value) -}}
{{- $text := ternary "" (include "ranger-relay.text" .) (kindIs "invalid" .) -}}
{{- if eq $text "true" }}{{ $arguments = append $arguments (print "--" $option) }}
{{- else if not (has $text (list "" "false")) }}{{ $arguments = append $arguments (printf "--%s=%s" $option $text) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $command.files }}{{ $arguments = append $arguments (list $output . | compact | join "/") }}{{ end -}}
{{- end -}}
{{- $arguments | toJson -}}
{{- end -}}
