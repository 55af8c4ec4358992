//! Keys of Spanish headers, letterheads and signature blocks. Folded: no capitals, no accents.

use Label::*;
use Place::{Colon, Free, Line};
use Role::{Caregiver, Patient, Relative, Unknown};
use taire_text::{Label, Role};

use super::keys::{Group, Place, Value, group};

pub(super) const TABLE: &[Group] = &[
    group(
        Value::Given,
        Patient,
        Line,
        "nombre|nombre del paciente|nombre de la paciente|nombre paciente|nombre de pila|nombre(s)|primer nombre|segundo nombre|nombre del enfermo|\
         nombre del menor|nombre social",
    ),
    group(
        Value::Family,
        Patient,
        Line,
        "apellido(s)|apellidos del paciente|apellidos de la paciente|primer apellido|segundo apellido|1er apellido|2° apellido|1° apellido|apellido 1|apellido 2|\
         apellido paterno|apellido materno|apellidos paciente|apellido1|apellido2|1. apellido|2. apellido",
    ),
    group(
        Value::FamilyFirst,
        Patient,
        Line,
        "apellidos y nombre|apellidos, nombre|apellidos nombre|apellidos / nombre|apellidos y nombre del paciente|apellido y nombre|apellidos - nombre|\
         apellidos y nombres|filiacion",
    ),
    group(
        Value::People,
        Patient,
        Line,
        "paciente|paciente(s)|nombre y apellidos|nombre y apellido(s)|nombre y apellidos del paciente|nombre completo|nombre/apellidos|\
         enfermo|enferma|identificacion del paciente|nombre apellidos|asegurado|asegurada|beneficiario|titular|usuario|usuaria|datos de filiacion|\
         nombre y dos apellidos|interno|recien nacido|referente a",
    ),
    group(
        Value::People,
        Caregiver,
        Line,
        "medico|medica|medico(s) responsable(s)|medico de familia|medico de cabecera|medico tratante|medico adjunto|medico residente|medico solicitante|medico peticionario|\
         medico remitente|medico referente|medico especialista|medico de atencion primaria|medico map|map|medico informante|medico firmante|medico interno residente|\
         medico que informa|medico que deriva|medico del paciente|nombre del medico|facultativo|facultativo responsable|facultativo especialista|facultativos|\
         responsable clinico|responsable medico|responsable|responsable del informe|responsable asistencial|rsponsable medico|responsable de la unidad|\
         remitido por|remitida por|remite|remitente|derivado por|derivada por|enviado por|enviado a|remitido a|solicitado por|solicitante|peticionario|\
         firmado|firmado por|firma|fdo|fdo.|firmado electronicamente por|validado por|revisado por|elaborado por|redactado por|realizado por|informado por|\
         autor|autora|autores|correspondencia|autor para correspondencia|direccion para correspondencia|cirujano|cirujana|cirujano(s)|cirujano principal|primer cirujano|\
         ayudante(s)|primer ayudante|segundo ayudante|1er ayudante|2° ayudante|anestesista|anestesista(s)|anestesiologo|anestesiologa|instrumentista|enfermera|enfermero|enfermera responsable|\
         enfermero responsable|enfermeria|due|d.u.e.|matrona|fisioterapeuta|trabajadora social|trabajador social|farmaceutico|farmaceutica|psicologo|psicologa|psiquiatra|\
         jefe de servicio|jefa de servicio|jefe de seccion|jefe de la unidad|jefe de unidad|jefe clinico|adjunto|adjunta|adjuntos|residente|residentes|mir|r1|r2|r3|r4|r5|tutor mir|\
         radiologo|radiologa|patologo|patologa|anatomopatologo|cardiologo|cardiologa|neurologo|neurologa|urologo|urologa|oncologo|oncologa|ginecologo|ginecologa|pediatra|\
         internista|dermatologo|oftalmologo|nefrologo|neumologo|digestologo|hematologo|traumatologo|otorrino|endocrino|reumatologo|geriatra|\
         doctor|doctora|dr|dra|dr/a|dr./dra.|director|directora|director medico|coordinador|coordinadora|supervisora|supervisor|copia a|con copia a|cc|atencion de|a la atencion de|a/a|secretaria|profesional|profesional responsable|equipo medico|consulta de",
    ),
    group(
        Value::People,
        Relative,
        Colon,
        "familiar|familiar de contacto|persona de contacto|contacto|contacto de emergencia|avisar a|en caso de urgencia avisar a|tutor|tutora|tutor legal|representante|\
         representante legal|conyuge|esposo|esposa|marido|mujer|pareja|padre|madre|hijo|hija|hermano|hermana|nombre del padre|nombre de la madre|cuidador|cuidadora|\
         cuidador principal|acompanante|acompanado por|responsable legal|familiar responsable|persona de referencia|nieto|nieta|abuelo|abuela",
    ),
    group(
        Value::BirthDate,
        Patient,
        Free,
        "fecha de nacimiento|fecha nacimiento|f. nacimiento|f nacimiento|f. nac.|f. nac|f.nac.|f nac|fecha nac|fecha nac.|fecha de nac|fecha de nac.|fec. nac.|fec nac|fn|f.n.|\
         f. de nacimiento|f. de nac.|nacimiento|nacido(a) el|nacido el|nacida el|nacido/a el|nacido el dia|nacida el dia|fecha de nacimiento del paciente|fnac|fecnac|dob|nacido en fecha",
    ),
    group(
        Value::Date,
        Unknown,
        Line,
        "fecha|fecha de ingreso|fecha ingreso|f. ingreso|f ingreso|f.ingreso|fecha de alta|fecha alta|f. alta|f alta|fecha del alta|fecha de consulta|fecha consulta|fecha de la consulta|\
         fecha de informe|fecha del informe|fecha informe|fecha de intervencion|fecha de la intervencion|fecha intervencion|fecha de cirugia|fecha cirugia|fecha de solicitud|fecha solicitud|\
         fecha de peticion|fecha de realizacion|fecha de la prueba|fecha de exploracion|fecha de recepcion|fecha de toma|fecha de extraccion|fecha de validacion|fecha de firma|\
         fecha de emision|fecha de impresion|fecha de registro|fecha de defuncion|fecha de exitus|fecha exitus|fecha de fallecimiento|fecha de visita|fecha de la visita|fecha de asistencia|\
         fecha y hora|fecha y hora de ingreso|fecha de urgencias|fecha de entrada|fecha de salida|fecha de admision|fecha de cita|proxima cita|proxima revision|cita|fecha de inicio|fecha de fin|\
         ingreso el|alta el|ingresado el|ingresada el|fecha de diagnostico|fecha diagnostico|fecha de envio|fecha hospitalizacion|fecha de hospitalizacion|fecha episodio|fecha de episodio|con fecha|a fecha de|en fecha",
    ),
    group(
        Value::Age,
        Patient,
        Line,
        "edad|edad del paciente|edad actual|edad/sexo|edad al ingreso|edad de la paciente|edad (anos)",
    ),
    group(Value::Sex, Patient, Line, "sexo|genero|sexo del paciente|sexo/edad"),
    group(
        Value::Id(PatientId),
        Patient,
        Free,
        "# nhc|# n.h.c.|# historia|# historia clinica|## de historia|# h.c.|## hc|# hist. clinica|# h. clinica|# h clinica|## hª|# hª clinica|# hª. clinica|# cipa|# cip|# c.i.p.|\
         cip autonomico|cip sns|cip-sns|# nuhsa|nuss/nuhsa|## an|## paciente|## de paciente|id paciente|id. paciente|identificador|identificador del paciente|codigo paciente|# expediente|# de expediente|## ficha|# nhc paciente|# cipac|# nhc/cip",
    ),
    group(
        Value::Id(VisitId),
        Patient,
        Line,
        "# episodio|# de episodio|episodio|# episodio del paciente|episodio del paciente|# icu|## ingreso|## de ingreso|## proceso|## visita|## contacto|## urgencia|## asistencia|## de asistencia|## encuentro|## caso|## cita",
    ),
    group(
        Value::Id(SocialSecurity),
        Patient,
        Free,
        "# nass|# nss|# nuss|# n.a.s.s.|# s.s.|## ss|# seg. social|# seguridad social|# de seguridad social|## afiliacion|# de afiliacion|# de la seguridad social|# seg social|# naf|## afiliado|# afiliacion a la seguridad social|num. afiliacion|# de la s.s.|## ss.",
    ),
    group(
        Value::Id(HealthPlan),
        Patient,
        Line,
        "# tarjeta sanitaria|# tsi|# t.s.i.|# tis|# sip|## tarjeta|# poliza|# de poliza|## mutua|# mutualista|## asegurado|## beneficiario|# muface|# isfas|# mugeju|# tarjeta sanitaria individual|# de tarjeta sanitaria|## seguro|# tse",
    ),
    group(
        Value::Id(ProfessionalLicence),
        Caregiver,
        Free,
        "## col|# col.|# colegiado|# de colegiado|# colegiada|# colegiacion|# de colegiacion|# colegiado/a|col.|colegiado|colegiada|col n°|colegiado n°|col. n°|n°col|n°. col|num col|num. col.|cnp|c.n.p.|# de licencia|# colegial|cias|# cias|n.° col|n.° col.|ncol|n° c.|# cnp",
    ),
    group(
        Value::Id(OtherId),
        Patient,
        Free,
        "# dni|# d.n.i.|# nie|# n.i.e.|# nif|# n.i.f.|dni/nie|# dni/nie|dni-nie|dni/nif|# dni/nif|# pasaporte|## documento|# documento de identidad|# cif|documento nacional de identidad|dni/pasaporte|## identificacion|## de identificacion|nif/nie",
    ),
    group(
        Value::Id(OtherId),
        Unknown,
        Line,
        "## peticion|## de peticion|## muestra|## de muestra|## solicitud|## informe|## de informe|## registro|## biopsia|## de biopsia|## estudio|## prueba|referencia|ref|ref.|## orden|## volante|## exploracion|## acceso|## citacion|## receta|codigo|## anatomia patologica|## bloque",
    ),
    group(
        Value::Id(EmployeeId),
        Caregiver,
        Line,
        "## empleado|# de empleado|## trabajador|codigo de empleado|## personal|usuario de red",
    ),
    group(Value::Id(AccountNumber), Patient, Free, "## cuenta|# de cuenta|iban|# iban|cuenta bancaria|ccc"),
    group(Value::Id(VehicleId), Patient, Line, "matricula|# matricula|# de matricula|# bastidor"),
    group(
        Value::Id(DeviceId),
        Patient,
        Line,
        "## serie|# de serie|s/n|sn|## lote|# de lote|numero serie|## protesis|## dispositivo|## implante",
    ),
    group(
        Value::Address,
        Patient,
        Line,
        "domicilio|direccion|direccion del paciente|domicilio del paciente|domicilio habitual|domicilio actual|direccion postal|direccion completa|reside en|con domicilio en|\
         domiciliado en|domiciliada en|vive en|residente en|domicilio en|dir.|dom.|domic.|direccion particular|domicilio particular|lugar de residencia",
    ),
    group(Value::Address, Patient, Colon, "calle|residencia|via|avenida|plaza|c/"),
    group(
        Value::PostalCode,
        Patient,
        Line,
        "cp|c.p.|c.p|codigo postal|cod. postal|cod postal|c. postal|cp/localidad|cod.postal|dp|d.p.|distrito postal",
    ),
    group(
        Value::City,
        Patient,
        Line,
        "localidad|localidad/ provincia|localidad / provincia|localidad-provincia|localidad y provincia|localidad (provincia)|poblacion|municipio|ciudad|provincia|ciudad/provincia|poblacion/provincia|\
         lugar de nacimiento|lugar nacimiento|natural de|nacido en|nacida en|l. nacimiento|ciudad de nacimiento|provincia de nacimiento|localidad de nacimiento|municipio de residencia|lugar|pueblo|municipio/provincia|procedencia|procedente de",
    ),
    group(
        Value::Region,
        Patient,
        Line,
        "comunidad autonoma|ccaa|c.c.a.a.|comunidad|region|area sanitaria|zona basica",
    ),
    group(
        Value::Country,
        Patient,
        Line,
        "pais|pais de nacimiento|pais nacimiento|pais de origen|pais de residencia|nacionalidad|pais origen",
    ),
    group(
        Value::Phone,
        Unknown,
        Free,
        "telefono(s)|# telefono|# de telefono|tel|tel.|tel(s)|telf|telf.|tlf|tlf.|tfno|tfno.|tfn|tf|tf.|tlfno|tlfno.|telef|telef.|telefono de contacto|telefono movil|telefono fijo|telefono 1|telefono 2|tel. movil|tel movil|\
         movil|movil.|tfno. movil|tlf. contacto|tlf contacto|telefono contacto|telefono del paciente|telefono familiar|telefono domicilio|telefono particular|telefono trabajo|centralita|busca|extension|ext.|contacto telefonico|telefono/fax|tel/fax|tfno/fax|tlf/fax|tel. / fax|whatsapp",
    ),
    group(Value::Fax, Unknown, Free, "fax|# fax|# de fax|telefax|fax.|telefono fax"),
    group(
        Value::Email,
        Unknown,
        Free,
        "e-mail|email|mail|correo|correo electronico|correo-e|c. electronico|e mail|direccion de correo|direccion electronica|direccion de correo electronico|e-mails|correo e|correo-electronico|dir. electronica|correo electronico de contacto",
    ),
    group(Value::Url, Unknown, Line, "web|pagina web|url|sitio web|www"),
    group(
        Value::Facility(Hospital),
        Unknown,
        Colon,
        "hospital|hospital de origen|hospital de referencia|hospital de procedencia|hospital remitente|hospital de destino|clinica|complejo hospitalario|trasladado a|trasladado de|\
         trasladada a|centro hospitalario|centro|centro de origen|centro remitente|centro de procedencia|centro de trabajo|centro sanitario|centro peticionario|hospital peticionario|sanatorio",
    ),
    group(
        Value::Facility(HealthCentre),
        Unknown,
        Colon,
        "centro de salud|c.s.|cs|ambulatorio|consultorio|laboratorio|farmacia|residencia de ancianos|centro de atencion primaria|cap|c. de salud|centro de especialidades",
    ),
    group(
        Value::Facility(Institution),
        Unknown,
        Colon,
        "empresa|aseguradora|colegio|instituto|universidad|entidad|compania|compania aseguradora|mutua|organismo|facultad|institucion|centro escolar|entidad aseguradora",
    ),
    group(
        Value::Profession,
        Patient,
        Colon,
        "profesion|ocupacion|profesion actual|oficio|situacion laboral|trabajo|actividad laboral|profesion previa|antecedentes laborales|puesto de trabajo|trabaja como",
    ),
    group(
        Value::Nothing,
        Unknown,
        Line,
        "servicio|servicio de|servicio/ unidad|servicio/unidad|unidad|unidad/ seccion|unidad/seccion|especialidad|seccion|departamento|area|cama|habitacion|planta|sala|control|motivo|motivo de ingreso|motivo de consulta|motivo de alta|\
         antecedentes|antecedentes personales|antecedentes familiares|alergias|tratamiento|diagnostico|diagnostico principal|diagnosticos|otros diagnosticos|procedimientos|exploracion|exploracion fisica|\
         evolucion|evolucion y comentarios|pruebas complementarias|resumen de pruebas complementarias|historia actual|enfermedad actual|juicio clinico|informe clinico|informe clinico del paciente|\
         informe clinico de la paciente|informe medico|informe de alta|datos del paciente|datos asistenciales|anamnesis|recomendaciones|conclusion|comentarios|resultado|resultados|tipo|hora|peso|talla|imc|ta|fc|\
         estado civil|raza|etnia|hemograma|bioquimica|historia del paciente|historia de la paciente|tipo de ingreso|tipo de alta|regimen|grupo sanguineo|pagina|destino|prioridad|nombre comercial|nombre generico|nombre del farmaco|nombre de la prueba|nivel de estudios",
    ),
];
