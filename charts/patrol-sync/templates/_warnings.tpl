{{/* Settings that a person should know of, one a line. */}}
{{- define "patrol-sync.warnings" -}}
{{- if .Values.options.replaceSegmentSchema }}
WARNING: options.replaceSegmentSchema is true: patrol fields that an admin has added are lost.
{{- end }}
{{- if .Values.options.deleteSubjects }}
WARNING: options.deleteSubjects is true: an undo deletes subjects, and with them their history.
{{- end }}
{{- if .Values.options.force }}
WARNING: options.force is set: an undo overwrites what somebody has changed since.
{{- end }}
{{- if hasPrefix "http://" .Values.site.endpoint }}
WARNING: site.endpoint begins with http://: the token travels in the clear.
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
WARNING: networkPolicy.enabled is false: the pods may reach everything.
{{- end }}
{{- end -}}
